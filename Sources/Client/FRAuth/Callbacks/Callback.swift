internal import Concurrency
public import Foundation
package import PingJourneyPlugin

/// One thing that the server asks for in a step.
///
/// It stands in front of the callback of PingJourney that is posted: what is answered here is answered there.
// Its stored properties are immutable or guarded; subclasses guard theirs.
open class Callback: NSObject, @unchecked Sendable {
  /// The type on the wire, such as `NameCallback`.
  public let type: String

  private let held: Locked<(any PingJourneyPlugin.Callback)?>

  /// Reads a callback of the server.
  ///
  /// - Throws: ``AuthError/invalidCallbackResponse(_:)``
  required public init(json: [String: Any]) throws {
    guard let type = json["type"] as? String else { throw AuthError.invalidCallbackResponse("Missing type") }
    self.type = type
    held = Locked(nil)
    super.init()
  }

  /// A callback that nothing is known of but its type.
  init(type: String) {
    self.type = type
    held = Locked(nil)
    super.init()
  }

  /// The callback that is posted; made of the JSON when this one was not made for a node.
  package var posted: (any PingJourneyPlugin.Callback)? {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }

  /// What is sent to the server: the callback as received, with the answers.
  public var response: [String: Any] { posted?.payload() ?? [:] }
}

/// A callback that takes several answers, each under a name of its own.
// Adds no stored property.
open class MultipleValuesCallback: Callback, @unchecked Sendable {}

/// A callback that takes one answer.
// Its stored property is immutable.
open class SingleValueCallback: Callback, @unchecked Sendable {
  /// The text to show.
  public let prompt: String?

  required public init(json: [String: Any]) throws {
    let output = json["output"] as? [[String: Any]] ?? []
    prompt = output.first { $0["name"] as? String == "prompt" }?["value"] as? String
    try super.init(json: json)
  }

  /// Sets the answer: text, a whole number, a number or a flag, as the callback's type wants it. One of another type is
  /// left out.
  public func setValue(_ value: Any?) {
    guard let value else { return }
    answer(value)
  }

  func answer(_ value: Any) {
    guard let callback = posted as? AbstractCallback else { return }
    _ = callback.input(value)
  }
}
