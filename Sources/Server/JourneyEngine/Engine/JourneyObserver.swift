/// Hears what journeys do, for metrics and logs.
public protocol JourneyObserver: Sendable {
  /// A client has started a journey, or goes on with one. Called before the journey's nodes.
  ///
  /// - Parameter id: the same for all requests of one run; `nil` when an earlier version of the server started it.
  func runs(journey: String, realm: String, id: String?, isStart: Bool)

  /// A node was visited.
  ///
  /// - Parameters:
  ///   - type: the node's type, as journey files name it.
  ///   - hasFailed: whether it could not do its work.
  func evaluated(node type: String, in time: Duration, hasFailed: Bool)

  /// A journey has come to its end.
  func ended(journey: String, realm: String, isSuccess: Bool)
}
