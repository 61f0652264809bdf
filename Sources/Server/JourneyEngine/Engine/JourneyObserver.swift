/// Observes journeys, for metrics and logs.
public protocol JourneyObserver: Sendable {
  /// A client has started or continues a journey. Called before the journey's nodes.
  ///
  /// - Parameter id: the same for all requests of one run; `nil` when an earlier version of the server started it.
  func runs(journey: String, realm: String, id: String?, isStart: Bool)

  /// A node was visited.
  ///
  /// - Parameters:
  ///   - type: the node's type, as journey files name it.
  ///   - hasFailed: whether it could not do its work.
  func evaluated(node type: String, in time: Duration, hasFailed: Bool)

  /// A node has asked something, decided, or failed. Called after ``evaluated(node:in:hasFailed:)``.
  func visited(_ visit: NodeVisit)

  /// A journey has come to its end.
  func ended(journey: String, realm: String, isSuccess: Bool)
}

extension JourneyObserver {
  public func runs(journey: String, realm: String, id: String?, isStart: Bool) {}
  public func evaluated(node type: String, in time: Duration, hasFailed: Bool) {}
  public func ended(journey: String, realm: String, isSuccess: Bool) {}
  public func visited(_ visit: NodeVisit) {}
}

/// One evaluation of a node, for tools that show or test journeys. Not for logs: the state holds passwords.
public struct NodeVisit: Sendable {
  /// The journey that has the node, and its realm.
  public let journey: String
  public let realm: String

  /// The node's id and name in its file; the name may be empty.
  public let nodeID: String
  public let displayName: String
  public let type: String

  /// What the node wants to happen next; `nil` when it could not do its work.
  public let result: NodeResult?

  /// The journey's state after the node.
  public let state: JourneyState
}
