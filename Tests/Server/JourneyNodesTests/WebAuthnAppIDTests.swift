import AuthenticatorFixtures
import BindingFormats
import Foundation
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import JourneyNodes

/// Keys that were registered with U2F under an AppID, before this server (WebAuthn L3 §10.1.1).
@Suite("WebAuthn nodes and keys of U2F") struct WebAuthnAppIDTests {
  static let appID = "https://example.com/u2f/app-id.json"

  /// A world in which Mira has a key of U2F, brought in as a journey's script does it: through state, and a storage node.
  private static func world(_ authenticator: SoftAuthenticator) async throws -> World {
    let world = try await World()
    let (visit, _) = try await world.register(authenticator, ["postponeDeviceProfileStorage": true])
    var form = try #require(visit.state.transient["webauthnDeviceData"]?.objectValue)
    form["relyingPartyId"] = .string(appID)
    form["attestationFormat"] = "fido-u2f"
    var storage = try world.visit("WebAuthnDeviceStorageNode", [:], state: visit.state)
    storage.state.transient["webauthnDeviceData"] = .object(form)
    #expect(try await storage.evaluate() == .outcome("success"))
    return world
  }

  private static func outcome(_ text: String, results: JSONValue?) throws -> JSONValue {
    var object: JSONObject = ["legacyData": .string(text)]
    object["clientExtensionResults"] = results
    return .string(JSONValue.object(object).text)
  }

  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var asked: JSONObject = ["appId": .string(appID)]
    var results: JSONValue? = ["appid": true]
    var signedFor = appID
    var flags: UInt8 = 0x01
    let reason: String?
  }

  static let answers = [
    Answer(testDescription: "as it should be", reason: nil),
    Answer(testDescription: "without the client's word", results: nil, reason: "rpIdMismatch"),
    Answer(testDescription: "denied by the client", results: ["appid": false], reason: "rpIdMismatch"),
    Answer(testDescription: "for the relying party", signedFor: "example.com", reason: "rpIdMismatch"),
    Answer(testDescription: "for another AppID", signedFor: "https://example.com/", reason: "rpIdMismatch"),
    Answer(testDescription: "nobody there", flags: 0, reason: "userNotPresent"),
    Answer(
      testDescription: "not verified where that is required",
      asked: ["appId": .string(appID), "userVerificationRequirement": "REQUIRED"], reason: "userNotVerified"),
  ]

  @Test(arguments: answers)
  func `a key of U2F signs in under its AppID alone`(answer: Answer) async throws {
    var authenticator = SoftAuthenticator()
    let world = try await Self.world(authenticator)
    var visit = try world.authentication(answer.asked)
    let sent = try await visit.ask().webAuthnMetadata
    #expect(sent["extensions"] == ["appid": .string(Self.appID)])
    #expect(sent["_allowCredentials"]?.arrayValue?.count == 1)
    let text = try authenticator.authenticate(challenge: try #require(sent["challenge"]?.stringValue)) {
      $0.relyingPartyID = answer.signedFor
      $0.flags = answer.flags
    }
    let result = try await visit.answer([:], ["": Self.outcome(text, results: answer.results)])
    #expect(result == .outcome(answer.reason == nil ? "success" : "failure"), "\(visit.reasons)")
    if let reason = answer.reason { #expect(visit.reasons.contains { $0.contains(reason) }) }
  }

  @Test func `without the AppID, or with another, the key is neither asked for nor taken`() async throws {
    var authenticator = SoftAuthenticator()
    let world = try await Self.world(authenticator)
    for asked in ["", "https://example.com/u2f/app-id.jso", "https://www.example.com/u2f/app-id.json"] {
      var visit = try world.authentication(["appId": .string(asked)])
      #expect(try await visit.evaluate() == .outcome("noDevice"))
    }
    // A script that asks for it by the state variable gets the answer refused: only the property decides.
    let other = SoftAuthenticator()
    try await world.register(other)
    var visit = try world.authentication()
    visit.state.shared["webAuthnExtensions"] = ["appid": .string(Self.appID)]
    let sent = try await visit.ask().webAuthnMetadata
    #expect(sent["_allowCredentials"]?.arrayValue?.count == 1)
    let text = try authenticator.authenticate(challenge: try #require(sent["challenge"]?.stringValue)) {
      $0.relyingPartyID = Self.appID
      $0.flags = 0x01
    }
    let value = try Self.outcome(text, results: ["appid": true])
    #expect(try await visit.answer([:], ["": value]) == .outcome("failure"))
    #expect(visit.reasons.contains { $0.contains("unknownCredential") })
  }

  @Test func `a passkey cannot be used under the AppID, and signs in beside it as before`() async throws {
    var passkey = SoftAuthenticator()
    let world = try await Self.world(SoftAuthenticator())
    try await world.register(passkey)
    for (party, outcome) in [(Self.appID, "failure"), ("example.com", "success")] {
      var visit = try world.authentication(["appId": .string(Self.appID)])
      let sent = try await visit.ask().webAuthnMetadata
      #expect(sent["_allowCredentials"]?.arrayValue?.count == 2)
      let text = try passkey.authenticate(challenge: try #require(sent["challenge"]?.stringValue)) {
        $0.relyingPartyID = party
      }
      let value = try Self.outcome(text, results: ["appid": true])
      #expect(try await visit.answer([:], ["": value]) == .outcome(outcome), "\(visit.reasons)")
    }
  }

  @Test func `what was asked counts, not what the journey says by the time of the answer`() async throws {
    var authenticator = SoftAuthenticator()
    let world = try await Self.world(authenticator)
    var visit = try world.authentication(["appId": .string(Self.appID)])
    let sent = try await visit.ask().webAuthnMetadata
    let text = try authenticator.authenticate(challenge: try #require(sent["challenge"]?.stringValue)) {
      $0.relyingPartyID = Self.appID
      $0.flags = 0x01
    }
    var later = Visit(
      node: try world.node("WebAuthnAuthenticationNode", World.webAuthnProperties), request: visit.request,
      state: visit.state, notes: visit.notes)
    let value = try Self.outcome(text, results: ["appid": true])
    #expect(try await later.answer([:], ["": value]) == .outcome("success"), "\(later.reasons)")
  }

  @Test(
    arguments: [
      ("https://example.com/app-id.json", "example.com", true),
      ("https://login.example.com/app-id.json", "example.com", true),
      ("https://example.com", "login.example.com", true),
      ("https://www.example.com:8443/a", "login.example.com", true),
      ("https://example.net/app-id.json", "example.com", false),
      ("https://example.com.evil.net/", "example.com", false),
      ("https://notexample.com/", "example.com", false),
      ("https://a.co.uk/", "b.co.uk", false), ("https://co.uk/", "a.co.uk", false),
      ("https://a.github.io/", "b.github.io", false), ("https://localhost/", "localhost", true),
      ("https://a.localhost/", "localhost", false),
    ])
  func `an AppID must be of the relying party's own domain`(
    appID: String, party: String, isAllowed: Bool
  ) async throws {
    var world = try await World()
    let named: JSONObject = ["appId": .string(appID), "relyingPartyDomain": .string(party)]
    let error =
      isAllowed ? nil : #expect(throws: JourneyFileError.self) { _ = try world.authentication(named) }
    #expect(isAllowed ? (try? world.authentication(named)) != nil : error?.property == "appId")

    // Where the server is the relying party it is known when somebody is asked.
    world.relyingParty = ServerRelyingParty(publicURL: "https://\(party)/am")
    var visit = try world.authentication(
      ["appId": .string(appID), "relyingPartyDomain": "", "decoyCredentials": true])
    guard isAllowed else {
      let error = await #expect(throws: NodeError.self) { _ = try await visit.ask() }
      #expect(error?.description.contains("appId") == true)
      return
    }
    #expect(try await visit.ask().webAuthnMetadata["_relyingPartyId"] == .string(party))
  }

  @Test func `the AppID is sent to all alike, but not where the passkey says who it is`() async throws {
    let world = try await Self.world(SoftAuthenticator())
    let properties: JSONObject = ["appId": .string(Self.appID), "decoyCredentials": true]
    for name in ["mira", "nobody"] {
      var visit = try world.authentication(properties)
      visit.state.username = name
      #expect(try await visit.ask().webAuthnMetadata["extensions"] == ["appid": .string(Self.appID)])
    }
    var alone = try world.authentication(["appId": .string(Self.appID), "requiresResidentKey": true])
    alone.state.shared["webAuthnExtensions"] = ["uvm": true]
    #expect(try await alone.ask().webAuthnMetadata["extensions"] == ["uvm": true])
    var both = try world.authentication(["appId": .string(Self.appID)])
    both.state.shared["webAuthnExtensions"] = ["uvm": true, "appid": "https://evil.example"]
    #expect(
      try await both.ask().webAuthnMetadata["extensions"] == ["uvm": true, "appid": .string(Self.appID)])
  }

  @Test func `a page says that the AppID was used, and nothing else of what extensions return`() async throws
  {
    let world = try await Self.world(SoftAuthenticator())
    var visit = try world.authentication(["appId": .string(Self.appID), "asScript": true])
    let script = try #require(try await visit.ask()[0].output("message")?.stringValue)
    #expect(script.contains(#"extensions: {"appid":"\#(Self.appID)"}"#))
    #expect(script.contains("getClientExtensionResults().appid === true"))
  }
}
