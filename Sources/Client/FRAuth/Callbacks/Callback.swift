internal import Concurrency
public import Foundation
package import PingJourneyPlugin

/// One question of the server in a step.
///
/// It forwards its answers to the PingJourney callback that is posted.
// Its stored properties are immutable or guarded; subclasses guard theirs.
open class Callback: NSObject, @unchecked Sendable {
  /// The protocol's type, such as `NameCallback`.
  public let type: String

  private let held = Locked<(any PingJourneyPlugin.Callback)?>(nil)

  /// Reads a callback of the server.
  ///
  /// - Throws: ``AuthError/invalidCallbackResponse(_:)``
  required public init(json: [String: Any]) throws {
    guard let type = json["type"] as? String else { throw AuthError.invalidCallbackResponse("Missing type") }
    self.type = type
    super.init()
  }

  /// A callback of which only the type is known.
  init(type: String) {
    self.type = type
    super.init()
  }

  /// The callback that is posted; made from the JSON when this one was not made for a node.
  package var posted: (any PingJourneyPlugin.Callback)? {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }

  /// The JSON that is sent to the server: the callback as received, with the answers.
  public var response: [String: Any] { posted?.payload() ?? [:] }

  /// The value of the output `name` in a callback's JSON.
  static func output(_ name: String, of json: [String: Any]) -> Any? {
    (json["output"] as? [[String: Any]])?.first { $0["name"] as? String == name }?["value"]
  }
}

/// A callback that takes several named answers.
// Adds no stored property.
open class MultipleValuesCallback: Callback, @unchecked Sendable {}

/// A callback that takes one answer.
// Its stored property is immutable.
open class SingleValueCallback: Callback, @unchecked Sendable {
  /// The text to show.
  public let prompt: String?

  required public init(json: [String: Any]) throws {
    prompt = Self.output("prompt", of: json) as? String
    try super.init(json: json)
  }

  /// Sets the answer: text, a whole number, a number or a flag, depending on the callback. A value of another type is ignored.
  public func setValue(_ value: Any?) {
    guard let value else { return }
    answer(value)
  }

  func answer(_ value: Any) {
    _ = (posted as? AbstractCallback)?.input(value)
  }
}
