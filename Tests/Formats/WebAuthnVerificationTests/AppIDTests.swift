import Testing
import WebAuthnFormats
import WebAuthnVerification

@Suite("Keys that were registered with U2F")
struct AppIDTests {
  static let appID = "https://example.com/u2f/app-id.json"

  /// A key of U2F, which knows its AppID's digest and signs that somebody was there.
  static func scenario() throws -> AssertionScenario {
    var scenario = try AssertionScenario()
    scenario.policy.userVerification = .discouraged
    scenario.policy.appID = appID
    scenario.credential.appID = appID
    scenario.relyingPartyID = appID
    scenario.usedAppID = true
    scenario.flags = 0x01
    scenario.userHandle = nil
    return scenario
  }

  @Test func `one is accepted under the AppID that was asked for`() throws {
    let assertion = try Self.scenario().verify()
    #expect(assertion.flags == [.userPresent] && assertion.origin == "https://example.com")
  }

  typealias Fault = Wrong<AssertionScenario>

  static let faults: [Fault] = [
    Fault("the client does not say that it used the AppID", .rpIdMismatch, "clientExtensionResults") {
      $0.usedAppID = false
    },
    Fault("the AppID was not asked for", .rpIdMismatch, "not asked for") { $0.policy.appID = nil },
    Fault("another AppID was asked for", .rpIdMismatch, "not asked for") {
      $0.policy.appID = "https://example.com/u2f"
    },
    Fault("the AppID with another letter's case was asked for", .rpIdMismatch, "not asked for") {
      $0.policy.appID = "https://Example.com/u2f/app-id.json"
    },
    Fault("the key signed for the relying party", .rpIdMismatch, "not for the relying party") {
      $0.relyingPartyID = "example.com"
    },
    Fault("the key signed for another AppID", .rpIdMismatch) { $0.relyingPartyID = "https://example.net" },
    // The same key, were it registered with WebAuthn: the AppID opens no other credential.
    Fault("a credential of WebAuthn under the AppID", .rpIdMismatch) { $0.credential.appID = nil },
    Fault("a page elsewhere", .originNotAllowed) { $0.client.origin = "https://www.example.com" },
    Fault("nobody there", .userNotPresent) { $0.flags = 0 },
    Fault("nobody verified, where that is required", .userNotVerified) {
      $0.policy.userVerification = .required
    },
    Fault("another key", .invalidSignature) {
      $0.credential.publicKey = try AssertionScenario().credential.publicKey
    },
  ]

  @Test(arguments: faults)
  func `each thing that is wrong is found`(fault: Fault) async throws {
    var scenario = try Self.scenario()
    try fault.change(&scenario)
    await expectFailure(fault.check, fault.text) { [scenario] in _ = try scenario.verify() }
  }

  @Test(arguments: [true, false])
  func `a credential of WebAuthn is taken under its id, whatever the client says of AppIDs`(
    usedAppID: Bool
  ) throws {
    var scenario = try AssertionScenario()
    scenario.policy.appID = Self.appID
    scenario.usedAppID = usedAppID
    #expect(try scenario.verify().signCount == 8)
  }
}
