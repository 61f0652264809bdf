internal import PingFido
internal import PingJourney
internal import PingJourneyPlugin

/// Data for the client that no person sees.
// Adds no stored property.
open class MetadataCallback: Callback, @unchecked Sendable {
  /// The data, as received.
  var data: [String: Any] { Self.data(of: json) }

  static func data(of json: [String: Any]) -> [String: Any] {
    let output = json["output"] as? [[String: Any]] ?? []
    return output.first { $0["name"] as? String == "data" }?["value"] as? [String: Any] ?? [:]
  }

  private var json: [String: Any] { (posted as? AbstractCallback)?.json ?? [:] }
}

/// Asks for WebAuthn.
// Adds no stored property that changes.
open class WebAuthnCallback: MetadataCallback, @unchecked Sendable {
  /// Whether the server understands the JSON form of outcomes.
  public let supportsJsonResponse: Bool

  required public init(json: [String: Any]) throws {
    supportsJsonResponse = Self.data(of: json)["supportsJsonResponse"] as? Bool ?? false
    try super.init(json: json)
  }

  /// What a metadata callback with these data asks for: the type by which its class is registered; `nil` for other data.
  static func announcedType(of json: [String: Any]) -> String? {
    let data = data(of: json)
    guard data["_type"] as? String == "WebAuthn" else { return nil }
    switch data["_action"] as? String {
    case "webauthn_registration"?: return "WebAuthnRegistrationCallback"
    case "webauthn_authentication"?: return "WebAuthnAuthenticationCallback"
    case .some: return nil
    case nil:
      let registers = data["pubKeyCredParams"] != nil || data["_pubKeyCredParams"] != nil
      return registers ? "WebAuthnRegistrationCallback" : "WebAuthnAuthenticationCallback"
    }
  }

  /// Puts an outcome into the hidden value of `node`.
  static func put(_ outcome: String, into node: Node?) {
    let hidden = node?.callbacks.lazy.compactMap { $0 as? HiddenValueCallback }.first(
      where: \.isWebAuthnOutcome)
    hidden?.setValue(outcome)
  }
}

/// A place for a value which another callback computes, found by its id.
// Its stored property is immutable.
public class HiddenValueCallback: SingleValueCallback, @unchecked Sendable {
  /// The id on the wire.
  public let id: String?

  /// Whether the value is the outcome of WebAuthn.
  public var isWebAuthnOutcome: Bool { id == "webAuthnOutcome" }

  required public init(json: [String: Any]) throws {
    let output = json["output"] as? [[String: Any]] ?? []
    id = output.first { $0["name"] as? String == "id" }?["value"] as? String
    try super.init(json: json)
  }

  override func answer(_ value: Any) {
    if let text = value as? String { (posted as? PingJourney.HiddenValueCallback)?.value = text }
  }
}
