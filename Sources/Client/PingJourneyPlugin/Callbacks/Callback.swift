public import PingOrchestrate

/// A workflow that uses PingAM's authentication tree protocol.
public typealias Journey = Workflow

/// The callbacks of one step.
public typealias Callbacks = [any Callback]

/// A callback that receives its journey after the node was made.
public protocol JourneyAware {
  /// The journey; `nil` until the node was made.
  var journey: Journey? { get set }
}

/// A callback that is neither shown to the app nor posted.
public protocol MetadataCallbackProtocol {}

/// A placeholder, identified by its id, for a value that another callback computes.
public protocol ValueCallbackProtocol {
  /// The protocol's id, such as `webAuthnOutcome`.
  var valueId: String { get set }
  /// The value to post.
  var value: String { get }
  /// Sets the value to post.
  func setValue(_ value: String)
}

/// One question of the server in a step.
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

  // In a synchronous function `initialize` names the synchronous form; an asynchronous function cannot name that form.
  func initializeSynchronously(with json: [String: Any]) -> any Callback { initialize(with: json) }
}

extension ContinueNode {
  /// The callbacks of this step, in the server's order.
  public var callbacks: [any Callback] { actions.compactMap { $0 as? any Callback } }
}

/// A configuration with the server and realm of its workflow, for modules that keep data per server.
package protocol ServerAddressed {
  /// The deployment's base URL.
  var serverUrl: String? { get }
  /// The realm, as in URLs.
  var realm: String { get }
}
