import AuthenticatorFixtures
import Foundation
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing
import WebAuthnVerification

@testable import JourneyNodes

@Suite("WebAuthn nodes") struct WebAuthnNodeTests {
  @Test(
    arguments: [
      ("unsupported", "unsupported", nil), ("ERROR::NotAllowedError:no", "error", "NotAllowedError:no"),
      (#"{"error":"TimeoutError:late"}"#, "error", "TimeoutError:late"),
      ("ERROR::Strange:thing", "error", "UnknownError:Strange:thing"),
      ("ERROR::", "error", "UnknownError:"), ("webAuthnOutcome", "failure", nil), ("false", "failure", nil),
    ] as [(String, String, String?)])
  func `what a client says instead of an answer has its own outcome`(
    value: String, outcome: String, error: String?
  ) async throws {
    let world = try await World()
    try await world.register(SoftAuthenticator())
    for node in ["WebAuthnRegistrationNode", "WebAuthnAuthenticationNode"] {
      var visit = try world.visit(node, World.webAuthnProperties, state: JourneyState(username: "mira"))
      _ = try await visit.ask()
      #expect(try await visit.answer([:], ["": .string(value)]) == .outcome(outcome))
      #expect(visit.state.shared["WebAuthenticationDOMException"]?.stringValue == error)
      #expect(visit.state.shared["web-authn-challenge"] == nil)
    }
    #expect(try await world.webAuthnDevices().count == 1)
  }

  @Test func `an empty value is not an answer yet: the same question goes out again`() async throws {
    let world = try await World()
    var visit = try world.registration()
    let first = try await visit.ask()
    #expect(try visit.callbacks(of: await visit.answer([:], ["": ""])) == first)
  }

  @Test func `a challenge takes one answer, in its time`() async throws {
    let world = try await World()
    var visit = try world.registration()
    let challenge = try await visit.ask().webAuthnChallenge
    var copy = visit
    let text = try SoftAuthenticator().register(challenge: challenge)
    #expect(try await visit.answer([:], ["": .string(text)]) == .outcome("success"))
    let other = try SoftAuthenticator().register(challenge: challenge)
    #expect(try await copy.answer([:], ["": .string(other)]) == .outcome("failure"))
    #expect(copy.reasons.contains { $0.contains("challengeReused") })
    var late = try world.registration()
    let lateText = try SoftAuthenticator().register(challenge: try await late.ask().webAuthnChallenge)
    world.advance(121)
    #expect(try await late.answer([:], ["": .string(lateText)]) == .outcome("failure"))
    #expect(late.reasons.contains { $0.contains("challengeExpired") })
  }

  @Test func `a success leaves what later nodes read`() async throws {
    let world = try await World()
    let (plain, _) = try await world.register(SoftAuthenticator())
    #expect(plain.state.transient["webauthnData"] == nil && plain.state.transient["recoveryCodes"] == nil)
    let (visit, result) = try await world.register(
      SoftAuthenticator(),
      ["generateRecoveryCodes": true, "storeAttestationDataInTransientState": true]
    ) {
      $0.attestsItself()
      $0.deviceName = "  Work\u{7} key "
    }
    #expect(result == .outcome("success"))
    #expect(
      visit.state.transient["webauthnAttestationInfo"] == [
        "flags": ["UP": true, "UV": true, "AT": true, "ED": false, "BE": false, "BS": false]
      ])
    #expect(visit.state.transient["webauthnAttestationType"] == "SELF")
    #expect(visit.state.transient["webauthnDeviceAaguid"] == "00000000-0000-0000-0000-000000000000")
    #expect(visit.state.transient["webauthnData"]?.stringValue?.hasPrefix("{\"type\"") == true)
    #expect(visit.state.transient["recoveryCodes"]?.arrayValue?.count == 10)
    #expect(visit.state.transient["recoveryCodeDeviceName"] == "Work key")
    let device = try await world.webAuthnDevices()[0]
    #expect(device.deviceName == "Work key" && device.attestationType == "SELF")
    #expect(device.userHandle == Array("bWlyYQ".utf8) && device.relyingPartyID == "example.com")
    #expect(device.isUserVerificationInitialized && !device.isBackupEligible)
  }

  @Test func `at the limit nobody is asked, and who got in between is refused`() async throws {
    let world = try await World()
    var (first, second) = (
      try world.registration(["maxSavedDevices": 1]), try world.registration(["maxSavedDevices": 1])
    )
    #expect(first.node.outcomes.contains("exceedDeviceLimit"))
    let challenges = (try await first.ask().webAuthnChallenge, try await second.ask().webAuthnChallenge)
    let texts = (
      try SoftAuthenticator().register(challenge: challenges.0),
      try SoftAuthenticator().register(challenge: challenges.1)
    )
    #expect(try await first.answer([:], ["": .string(texts.0)]) == .outcome("success"))
    #expect(try await second.answer([:], ["": .string(texts.1)]) == .outcome("exceedDeviceLimit"))
    var third = try world.registration(["maxSavedDevices": 1])
    #expect(try await third.evaluate() == .outcome("exceedDeviceLimit"))
    let postponed = try world.registration(["maxSavedDevices": 1, "postponeDeviceProfileStorage": true])
    #expect(!postponed.node.outcomes.contains("exceedDeviceLimit"))
  }

  @Test func `a postponed device is stored by the storage node, for its user alone`() async throws {
    let world = try await World()
    let (visit, result) = try await world.register(
      SoftAuthenticator(),
      ["postponeDeviceProfileStorage": true, "generateRecoveryCodes": true])
    #expect(result == .outcome("success"))
    #expect(try await world.webAuthnDevices().isEmpty && visit.state.transient["recoveryCodes"] == nil)
    let form = try #require(visit.state.transient["webauthnDeviceData"])
    #expect(form["algorithm"] == "SHA256withECDSA" && form["key"]?["crv"] == "P-256")
    #expect(form["deviceName"] == "New Security Key" && form["recoveryCodes"] == [])

    var foreign = try world.visit("WebAuthnDeviceStorageNode", [:], state: visit.state)
    foreign.state.username = "rosa"
    #expect(try await foreign.evaluate() == .outcome("failure"))
    var storage = try world.visit("WebAuthnDeviceStorageNode", ["maxSavedDevices": 1], state: visit.state)
    #expect(try await storage.evaluate() == .outcome("success"))
    #expect(storage.state.transient["recoveryCodes"]?.arrayValue?.count == 10)
    #expect(storage.state.transient["webauthnDeviceData"] == nil)
    #expect(try await world.webAuthnDevices().count == 1)
    #expect(try await storage.evaluate() == .outcome("failure"))
    var full = try world.visit("WebAuthnDeviceStorageNode", ["maxSavedDevices": 1], state: visit.state)
    #expect(try await full.evaluate() == .outcome("failure"))
    #expect(full.reasons.contains { $0.contains("credentialAlreadyRegistered") })
    let (next, _) = try await world.register(
      SoftAuthenticator(), ["postponeDeviceProfileStorage": true])
    var limited = try world.visit("WebAuthnDeviceStorageNode", ["maxSavedDevices": 1], state: next.state)
    #expect(try await limited.evaluate() == .outcome("exceedDeviceLimit"))
    for damage in ["publicKey", "credentialId", "signCount", "userHandle"] {
      var broken = try world.visit("WebAuthnDeviceStorageNode", [:], state: next.state)
      var object = try #require(next.state.transient["webauthnDeviceData"]?.objectValue)
      object[damage] = "?"
      broken.state.transient["webauthnDeviceData"] = .object(object)
      #expect(try await broken.evaluate() == .outcome("failure"))
    }
  }

  @Test func `who is unknown has no device, who is inactive registers none`() async throws {
    let world = try await World()
    for name in ["nobody", "mira", "otto"] {
      var visit = try world.authentication()
      visit.state.username = name
      #expect(try await visit.evaluate() == .outcome("noDevice"))
    }
    for name in ["nobody", "otto"] {
      var visit = try world.registration(of: name)
      #expect(try await visit.evaluate() == .outcome("failure"))
    }
    var nameless = try world.registration()
    nameless.state.username = nil
    await #expect(throws: NodeError.self) { _ = try await nameless.evaluate() }
  }

  @Test(
    arguments: [
      (5, true, "successSignCountMismatch", 5), (0, true, "successSignCountMismatch", 5),
      (5, false, "success", 5), (6, true, "success", 6),
    ]
      as [(UInt32, Bool, String, UInt32)])
  func `a counter that does not advance is told where it is asked for, and never stored`(
    received: UInt32, detects: Bool, outcome: String, after: UInt32
  ) async throws {
    let world = try await World()
    var authenticator = SoftAuthenticator()
    authenticator.signCount = 5
    try await world.register(authenticator)
    var visit = try world.authentication(["detectSignCountMismatch": .bool(detects)])
    #expect(visit.node.outcomes.contains("successSignCountMismatch") == detects)
    let challenge = try await visit.ask().webAuthnChallenge
    let text = try authenticator.authenticate(challenge: challenge) { $0.signCount = received }
    #expect(try await visit.answer([:], ["": .string(text)]) == .outcome(outcome))
    let device = try await world.webAuthnDevices()[0]
    #expect(device.signCount == after)
    #expect(visit.state.shared["webauthnDeviceUuid"] == .string(device.uuid))
    #expect(visit.state.shared["webauthnDeviceName"] == "New Security Key")
    #expect(visit.state.transient["webauthnAssertionInfo"]?["flags"]?["UV"] == true)
  }

  @Test func `username from device takes the user of the handle, whoever was there before`() async throws {
    let world = try await World()
    var authenticator = SoftAuthenticator()
    try await world.register(authenticator)
    for (handle, outcome) in [("bWlyYQ", "success"), ("cm9zYQ", "failure"), ("bm9ib2R5", "failure")] {
      var visit = try world.authentication(["requiresResidentKey": true])
      visit.state.username = "rosa"
      let challenge = try await visit.ask().webAuthnChallenge
      let text = try authenticator.authenticate(challenge: challenge) { $0.userHandle = handle }
      #expect(try await visit.answer([:], ["": .string(text)]) == .outcome(outcome))
      #expect(visit.state.username == (outcome == "success" ? "mira" : "rosa"))
    }
    for (handle, outcome) in [("cm9zYQ", "noDevice"), ("bm9ib2R5", "noDevice"), ("bWlyYQ", "failure")] {
      var visit = try world.authentication(["requiresResidentKey": true])
      let challenge = try await visit.ask().webAuthnChallenge
      let text = try authenticator.authenticate(challenge: challenge) {
        $0.userHandle = handle
        $0.namedID = [1]
      }
      #expect(try await visit.answer([:], ["": .string(text)]) == .outcome(outcome))
    }
  }

  @Test func `the recovery button comes before the value`() async throws {
    let world = try await World()
    try await world.register(SoftAuthenticator())
    var visit = try world.authentication(["isRecoveryCodeAllowed": true])
    let callbacks = try await visit.ask()
    #expect(callbacks[2].output("options") == ["Use Recovery Code"])
    #expect(
      try await visit.answer([:], ["": "ERROR::AbortError:x"], ["": 0]) == .outcome("recoveryCode"))
    let plain = try world.authentication()
    #expect(!plain.node.outcomes.contains("recoveryCode"))
  }

  @Test func `a name too long for a handle has its digest for one`() async throws {
    let world = try await World()
    let name = String(repeating: "long ", count: 30) + "name"
    try await world.store.createUser(UserRecord(realm: "alpha", username: name, createdAt: world.now))
    var visit = try world.registration(of: name)
    let sent = try await visit.ask().webAuthnMetadata
    let id = try #require(sent["userId"]?.stringValue)
    #expect(id.utf8.count == 43)
    var authenticator = SoftAuthenticator()
    let text = try authenticator.register(challenge: try #require(sent["challenge"]?.stringValue))
    #expect(try await visit.answer([:], ["": .string(text)]) == .outcome("success"))
    var alone = try world.authentication(["requiresResidentKey": true])
    let answer = try authenticator.authenticate(challenge: try await alone.ask().webAuthnChallenge) {
      $0.userHandle = id
    }
    #expect(try await alone.answer([:], ["": .string(answer)]) == .outcome("success"))
    #expect(alone.state.username == name)
  }
}
