public import PingOrchestrate

/// A workflow that speaks the authentication-tree protocol of PingAM.
public typealias Journey = Workflow

/// The callbacks of one step.
public typealias Callbacks = [any Callback]

/// A callback that wants the journey which it belongs to, set after the node was made.
public protocol JourneyAware {
  /// The journey, once the node is there.
  var journey: Journey? { get set }
}

/// A callback that is neither shown to the app nor posted.
public protocol MetadataCallbackProtocol {}

/// A callback that is a place for a value which another callback computes, found by its id.
public protocol ValueCallbackProtocol {
  /// The id on the wire, such as `webAuthnOutcome`.
  var valueId: String { get set }
  /// The value to post.
  var value: String { get }
  /// Sets the value to post.
  func setValue(_ value: String)
}

/// One thing that the server asks for in a step.
///
/// A conforming type implements one of the two `initialize` forms or both; the registry calls the asynchronous one.
public protocol Callback: Action, Identifiable, Sendable {
  /// A callback that has not been read yet.
  init()
  /// Reads the callback's JSON object, and returns the callback to use: usually itself.
  func initialize(with json: [String: Any]) -> any Callback
  /// Reads the callback's JSON object, and returns the callback to use: usually itself.
  func initialize(with json: [String: Any]) async -> any Callback
  /// Stable for as long as the callback lives.
  var id: String { get }
  /// The JSON object to post; an empty one leaves the callback out.
  func payload() -> [String: Any]
}

extension Callback {
  /// Reads nothing and returns itself.
  public func initialize(with json: [String: Any]) -> any Callback { self }

  /// Does what the synchronous form does.
  public func initialize(with json: [String: Any]) async -> any Callback {
    initializeSynchronously(with: json)
  }

  // Inside a synchronous function the name means the synchronous form, which the asynchronous one could not call.
  private func initializeSynchronously(with json: [String: Any]) -> any Callback { initialize(with: json) }
}

extension ContinueNode {
  /// The callbacks of this step, in the server's order.
  public var callbacks: [any Callback] { actions.compactMap { $0 as? any Callback } }
}
