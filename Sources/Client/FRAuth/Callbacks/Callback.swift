public import Foundation
package import PingJourneyPlugin
public import PingOrchestrate

/// One question of the server in a step.
///
/// It forwards its answers to the PingJourney callback that is posted.
// Its stored properties are immutable or guarded; subclasses guard theirs.
open class Callback: NSObject, @unchecked Sendable {
  /// The protocol's type, such as `NameCallback`.
  @Guarded public var type: String

  /// The callback's number within its step; `nil` when the server does not number callbacks.
  public let _id: Int?

  /// The names of the callback's inputs, in order.
  public let inputNames: [String]

  /// Reads a callback of the server.
  ///
  /// - Throws: ``AuthError/invalidCallbackResponse(_:)``
  required public init(json: [String: Any]) throws {
    guard let type = json["type"] as? String else { throw AuthError.invalidCallbackResponse("Missing type") }
    self.type = type
    _id = json["_id"] as? Int
    inputNames = (json["input"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    super.init()
  }

  /// The callback that is posted; made from the JSON when this one was not made for a node.
  @Guarded package var posted: (any PingJourneyPlugin.Callback)?

  /// The JSON that is sent to the server: the callback as received, with the answers. JSON that an app sets is sent instead.
  public var response: [String: Any] {
    get { posted?.payload() ?? [:] }
    set { (posted as? AbstractCallback)?.json = newValue }
  }

  /// The values of the callback's inputs by their names, as they will be sent. Setting one answers that input.
  public var inputValues: [String: Any] {
    get { Self.values(in: response["input"] as? [[String: Any]] ?? []) }
    set { for (name, value) in newValue { put(value, into: name) } }
  }

  /// Answers the input `name`.
  func put(_ value: Any, into name: String) { _ = (posted as? AbstractCallback)?.input(value, forKey: name) }

  /// The JSON that is sent to the server.
  open func buildResponse() -> [String: Any] { response }

  /// The values of a callback's inputs or outputs by their names; of the same name, the first.
  package static func values(in list: [[String: Any]]) -> [String: Any] {
    let named = list.compactMap { entry in
      (entry["name"] as? String).flatMap { name in entry["value"].map { (name, $0) } }
    }
    return Dictionary(named) { first, _ in first }
  }

  /// The value of the output `name` in a callback's JSON.
  static func output(_ name: String, of json: [String: Any]) -> Any? {
    (json["output"] as? [[String: Any]])?.first { $0["name"] as? String == name }?["value"]
  }
}

/// A callback that takes several named answers.
// Its stored property is immutable.
open class MultipleValuesCallback: Callback, @unchecked Sendable {
  /// The text to show.
  public let prompt: String?

  required public init(json: [String: Any]) throws {
    prompt = Self.output("prompt", of: json) as? String
    try super.init(json: json)
  }
}

/// A callback that takes one answer.
// Its stored property is immutable.
open class SingleValueCallback: Callback, @unchecked Sendable {
  /// The text to show.
  public let prompt: String?

  /// The name of the callback's input.
  public var inputName: String? { inputNames.first }

  required public init(json: [String: Any]) throws {
    prompt = Self.output("prompt", of: json) as? String
    try super.init(json: json)
  }

  /// The answer as it will be sent.
  public func getValue() -> Any? { inputName.flatMap { inputValues[$0] } }

  /// Sets the answer: text, a whole number, a number or a flag, depending on the callback. A value of another type is ignored.
  public func setValue(_ value: Any?) {
    guard let value else { return }
    answer(value)
  }

  override func put(_ value: Any, into name: String) {
    if name == inputName { answer(value) }
  }

  func answer(_ value: Any) {
    _ = (posted as? AbstractCallback)?.input(value)
  }
}
