import AuthenticatorFixtures
import Foundation
import Bytes
import JourneyEngine
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

@Suite("What WebAuthn nodes send") struct WebAuthnMetadataTests {
  @Test func `a registration's metadata have every member, in both the old and the new form`() async throws {
    let world = try await World()
    var visit = try world.registration(
      [
        "relyingPartyName": "Bank", "userVerificationRequirement": "REQUIRED", "requiresResidentKey": true,
        "authenticatorAttachment": "PLATFORM", "attestationPreference": "DIRECT", "timeout": 30,
        "acceptedSigningAlgorithms": ["ES256", "RS1", "EDDSA"], "displayNameSharedState": "shown",
      ])
    visit.state.shared["shown"] = "Mira M."
    visit.state.shared["webAuthnExtensions"] = ["credProps": true]
    let callbacks = try await visit.ask()
    #expect(callbacks.map(\.type) == ["MetadataCallback", "HiddenValueCallback"])
    #expect(callbacks[0].inputs.isEmpty)
    #expect(callbacks[1].outputs == [.init("value", "false"), .init("id", "webAuthnOutcome")])
    #expect(callbacks[1].inputs == [.init("", "webAuthnOutcome")])
    let sent = try callbacks.webAuthnMetadata
    let challenge = try #require(sent["challenge"]?.stringValue)
    #expect(Data(base64Encoded: challenge)?.count == 32)
    #expect(visit.state.shared["web-authn-challenge"] == .string(challenge))
    #expect(
      sent == [
        "_action": "webauthn_registration", "_type": "WebAuthn", "challenge": .string(challenge),
        "attestationPreference": "direct", "userName": "mira", "displayName": "Mira M.", "userId": "bWlyYQ",
        "relyingPartyName": "Bank", "relyingPartyId": "id: \"example.com\",",
        "_relyingPartyId": "example.com",
        "authenticatorSelection":
          #"{"userVerification":"required","residentKey":"required","requireResidentKey":true,"authenticatorAttachment":"platform"}"#,
        "_authenticatorSelection": [
          "userVerification": "required", "residentKey": "required", "requireResidentKey": true,
          "authenticatorAttachment": "platform",
        ],
        "pubKeyCredParams":
          #"[ { "type": "public-key", "alg": -7 }, { "type": "public-key", "alg": -8 } ]"#,
        "_pubKeyCredParams": [
          ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -8],
        ],
        "timeout": "30000", "excludeCredentials": "", "_excludeCredentials": [],
        "extensions": ["credProps": true], "supportsJsonResponse": true,
      ])
  }

  @Test
  func `an authentication's metadata name the user's credentials as signed bytes, and none without a name`()
    async throws
  {
    let world = try await World()
    var authenticator = SoftAuthenticator()
    authenticator.credentialID = [0, 127, 128, 255]
    try await world.register(authenticator)
    var visit = try world.authentication()
    let sent = try await visit.ask().webAuthnMetadata
    #expect(
      sent["allowCredentials"]
        == #"allowCredentials: [{ "type": "public-key", "id": new Int8Array([0, 127, -128, -1]).buffer }]"#)
    #expect(sent["_allowCredentials"] == [["type": "public-key", "id": [0, 127, -128, -1]]])
    #expect(
      sent["_action"] == "webauthn_authentication" && sent["relyingPartyId"] == "rpId: \"example.com\",")
    #expect(sent["userVerification"] == "preferred" && sent["timeout"] == "60000")
    var usernameless = try world.authentication(["requiresResidentKey": true])
    let open = try await usernameless.ask().webAuthnMetadata
    #expect(open["allowCredentials"] == "" && open["_allowCredentials"] == [])
  }

  @Test func `limit registrations tells the authenticator what the user has`() async throws {
    let world = try await World()
    let authenticator = SoftAuthenticator()
    try await world.register(authenticator)
    var visit = try world.registration(["excludeCredentials": true])
    let sent = try await visit.ask().webAuthnMetadata
    let id = authenticator.credentialID.map { JSONValue.integer(Int64(Int8(bitPattern: $0))) }
    #expect(sent["_excludeCredentials"] == [["type": "public-key", "id": .array(id)]])
    let script = try #require(sent["excludeCredentials"]?.stringValue)
    #expect(script.hasPrefix("{ \"type\": \"public-key\", \"id\": new Int8Array(["))
  }

  @Test func `as a script, the same goes out as JavaScript, in which names stay texts`() async throws {
    let world = try await World()
    try await world.store.createUser(
      UserRecord(
        realm: "alpha", username: "eve", attributes: ["_username": "</script>\"+alert(1)+\"\u{2028}"],
        createdAt: world.now))
    var visit = try world.registration(["asScript": true], of: "eve")
    let callbacks = try await visit.ask()
    #expect(callbacks.map(\.type) == ["TextOutputCallback", "TextOutputCallback", "HiddenValueCallback"])
    #expect(callbacks[0].output("messageType") == "4" && callbacks[1].output("messageType") == "4")
    let script = try #require(callbacks[0].output("message")?.stringValue)
    #expect(!script.contains("</script") && !script.contains("\u{2028}"))
    for part in [
      "navigator.credentials.create", "pubKeyCredParams", "new Int8Array([", "webAuthnOutcome",
      "loginButton_0", "Uint8Array.from(\"ZXZl\"", "id: \"example.com\"", "submit(\"unsupported\")",
    ] as [String] {
      #expect(script.contains(part))
    }
    let challenge = try #require(visit.state.shared["web-authn-challenge"]?.stringValue)
    let text = try SoftAuthenticator().register(challenge: challenge)
    let outcome: JSONObject = ["authenticatorAttachment": "platform", "legacyData": .string(text)]
    #expect(
      try await visit.answer([:], [:], ["": .string(JSONValue.object(outcome).text)]) == .outcome("success"))
    #expect(visit.state.transient["webauthnAttestationInfo"]?["authenticatorAttachment"] == "platform")
  }
}
