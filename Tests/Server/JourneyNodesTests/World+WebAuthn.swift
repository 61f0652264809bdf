import AuthenticatorFixtures
import BindingFormats
import Foundation
import JourneyEngine
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

extension World {
  /// The properties that tests begin with.
  static let webAuthnProperties: JSONObject = [
    "asScript": false, "relyingPartyDomain": "example.com", "origins": ["https://example.com"],
    "generateRecoveryCodes": false,
  ]

  private static func webAuthnProperties(with changes: JSONObject) -> JSONObject {
    var properties = webAuthnProperties
    properties.merge(changes)
    return properties
  }

  func registration(_ changes: JSONObject = [:], of username: String = "mira") throws -> Visit {
    try visit(
      "WebAuthnRegistrationNode", Self.webAuthnProperties(with: changes),
      state: JourneyState(username: username))
  }

  func authentication(_ changes: JSONObject = [:]) throws -> Visit {
    try visit(
      "WebAuthnAuthenticationNode", Self.webAuthnProperties(with: changes),
      state: JourneyState(username: "mira"))
  }

  /// Registers through the node; the visit after.
  @discardableResult
  func register(
    _ authenticator: SoftAuthenticator, _ changes: JSONObject = [:],
    _ change: (inout SoftAuthenticator.Answer) throws -> Void = { _ in }
  ) async throws -> (Visit, NodeResult) {
    var visit = try registration(changes)
    let challenge = try await visit.ask().webAuthnChallenge
    let text = try authenticator.register(challenge: challenge, change)
    let result = try await visit.answer([:], ["": .string(text)])
    return (visit, result)
  }

  func webAuthnDevices() async throws -> [WebAuthnDeviceRecord] {
    try await store.webAuthnDevices.all(of: UniversalID(username: "mira", realm: "alpha"))
  }
}

extension [OutgoingCallback] {
  var webAuthnMetadata: JSONObject {
    get throws { try #require(self[0].output("data")?.objectValue) }
  }

  var webAuthnChallenge: String {
    get throws { try #require(webAuthnMetadata["challenge"]?.stringValue) }
  }
}
