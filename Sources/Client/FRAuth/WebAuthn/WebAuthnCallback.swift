internal import Foundation
internal import PingFido
internal import PingJourney
internal import PingJourneyPlugin

/// Data for the client, not shown to the person.
// Adds no stored property.
open class MetadataCallback: Callback, @unchecked Sendable {
  static func data(of json: [String: Any]) -> [String: Any] {
    output("data", of: json) as? [String: Any] ?? [:]
  }
}

/// Asks for a WebAuthn ceremony.
// Adds no stored property that changes.
open class WebAuthnCallback: MetadataCallback, @unchecked Sendable {
  /// Whether the server understands the JSON form of outcomes.
  public let supportsJsonResponse: Bool
  /// `WebAuthn`.
  public let _type: String
  /// Base64, as received.
  public let challenge: String

  let heldDelegate = WeakObject()

  required public init(json: [String: Any]) throws {
    let data = Self.data(of: json)
    supportsJsonResponse = data["supportsJsonResponse"] as? Bool ?? false
    _type = data["_type"] as? String ?? ""
    challenge = data["challenge"] as? String ?? ""
    try super.init(json: json)
  }

  /// Runs `ceremony` and reports its result to one of the completions.
  func report(
    onSuccess: @escaping StringCompletionCallback, onError: @escaping ErrorCallback,
    _ ceremony: @escaping @Sendable () async throws -> String
  ) {
    Task { do { onSuccess(try await ceremony()) } catch { onError(error) } }
  }

  /// The registered type of the class for a metadata callback with this JSON; `nil` when it does not ask for WebAuthn.
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

/// A placeholder, identified by its id, for a value that another callback computes.
// Its stored property is immutable.
public class HiddenValueCallback: SingleValueCallback, @unchecked Sendable {
  /// The protocol's id.
  public let id: String?

  /// Whether the value is the WebAuthn outcome.
  public var isWebAuthnOutcome: Bool { id == "webAuthnOutcome" }

  required public init(json: [String: Any]) throws {
    id = Self.output("id", of: json) as? String
    try super.init(json: json)
  }

  override func answer(_ value: Any) {
    if let text = value as? String { (posted as? PingJourney.HiddenValueCallback)?.value = text }
  }
}

/// A weak reference that any thread may read and set.
// The reference is only accessed while the lock is held. The object itself need not be Sendable: delegates are called as their
// documentation says.
final class WeakObject: @unchecked Sendable {
  private let lock = NSLock()
  private weak var held: AnyObject?

  var object: AnyObject? {
    get { lock.withLock { held } }
    set { lock.withLock { held = newValue } }
  }
}
