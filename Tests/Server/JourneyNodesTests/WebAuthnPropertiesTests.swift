import Foundation
import JourneyEngine
import JourneyNodes
import StrictJSON
import Testing

@Suite("Properties of WebAuthn nodes") struct WebAuthnPropertiesTests {
  @Test(
    arguments: [
      ("relyingPartyDomain", "https://example.com"), ("relyingPartyDomain", "example.com:8080"),
      ("userVerificationRequirement", "mandatory"), ("attestationPreference", "ENTERPRISE"),
      ("acceptedSigningAlgorithms", ["RS1"]), ("acceptedSigningAlgorithms", ["ES256K"]),
      ("authenticatorAttachment", "built-in"), ("timeout", -1), ("maxSavedDevices", -1), ("origins", [""]),
      ("fidoCertificationLevel", "L1"), ("postponeDeviceProfileStorage", "maybe"),
    ] as [(String, JSONValue)])
  func `a property that cannot work, and that nothing can stand for, is named`(name: String, value: JSONValue)
    async throws
  {
    let world = try await World()
    do {
      _ = try world.node("WebAuthnRegistrationNode", [name: value])
      Issue.record("it was accepted")
    } catch let error as JourneyFileError {
      #expect(error.property == name)
    }
  }

  @Test(
    arguments: [
      "http://example.com/app-id.json", "example.com", "https://", "https://192.0.2.1/app-id.json",
      "https://example.com/#a", "https://user@example.com/", "https://example.com/a b",
      "android:apk-key-hash:abc",
      "https://ex\u{E4}mple.com/", "https://example.com/" + String(repeating: "a", count: 2048),
    ])
  func `what is not an AppID is named when the journey is loaded`(text: String) async throws {
    let world = try await World()
    let error = #expect(throws: JourneyFileError.self) {
      _ = try world.node("WebAuthnAuthenticationNode", ["appId": .string(text)])
    }
    #expect(error?.property == "appId")
  }

  @Test func `without what the server must trust, the author is warned`() async throws {
    let world = try await World()
    let node = try world.node(
      "WebAuthnRegistrationNode",
      [
        "relyingPartyDomain": "example.com", "origins": ["https://example.org"],
        "acceptedSigningAlgorithms": ["RS1", "ES256"], "attestationPreference": "DIRECT",
        "trustStoreAlias": "corp", "enforceRevocationCheck": true,
        "fidoCertificationLevel": "FIDO_CERTIFIED_L1",
      ])
    for name in [
      "origins", "acceptedSigningAlgorithms", "trustStoreAlias", "enforceRevocationCheck",
      "fidoCertificationLevel",
    ] {
      #expect(node.warnings.contains { $0.hasPrefix("property \(name)") })
    }
    #expect(try world.node("WebAuthnRegistrationNode").warnings.isEmpty)
    #expect(try world.node("WebAuthnAuthenticationNode").warnings.isEmpty)
  }
}
