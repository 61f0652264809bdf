import DeviceKeys
import Foundation
import Testing
import WebAuthnFormats

@testable import WebAuthnAuthenticator

/// Records of passkeys that other programs use, with the secrets of `hmac-secret`.
struct RoamingRecordTests {
  private static let (one, other) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))

  private func record(_ secrets: PseudoRandomSecrets?) -> CredentialRecord {
    CredentialRecord(
      source: PublicKeyCredentialSource(
        id: [1, 2, 3], relyingPartyID: "example.com", userHandle: [7], userName: "ada", otherUI: "ada",
        algorithm: .es256, signCount: 4, createdAt: Date(timeIntervalSince1970: 1000), keyTag: "k",
        protection: .none, scope: nil,
        roaming: RoamingDetails(displayName: "Ada", protection: .required, secrets: secrets)), doomedAt: nil)
  }

  @Test(
    arguments: [
      (nil, 2), (.bytes(unverified: one, verified: other), 2),
      (.hardware(unverified: one, verified: other), 3),
    ] as [(PseudoRandomSecrets?, Int)])
  func
    `secrets are read as they were written, and what hardware has makes a record that earlier programs refuse`(
      secrets: PseudoRandomSecrets?, version: Int
    ) throws
  {
    let bytes = record(secrets).serialized
    #expect(String(decoding: bytes, as: UTF8.self).contains("\"version\":\(version)"))
    #expect(try CredentialRecord(parsing: bytes).source == record(secrets).source)
  }

  @Test(arguments: [
    ("\"verifiedKey\"", "\"another\""), ("\"unverifiedKey\":\"", "\"unverifiedKey\":\"?"),
    ("\"version\":3", "\"version\":4"), ("\"unverifiedKey\"", "\"secrets\":\"AAAA\",\"unverifiedKey\""),
  ])
  func `a record of hardware without both keys, or with other secrets besides, is damaged`(
    part: String, other: String
  ) throws {
    let text = String(
      decoding: record(.hardware(unverified: Self.one, verified: Self.other)).serialized, as: UTF8.self)
    try #require(text.contains(part))
    #expect(throws: (any Error).self) {
      try CredentialRecord(parsing: Array(text.replacing(part, with: other).utf8))
    }
  }

  @Test func `secrets are not printed`() {
    let secrets = PseudoRandomSecrets.bytes(unverified: Self.one, verified: Self.other)
    #expect(!"\(secrets) \(String(reflecting: secrets))".contains("1, 1"))
  }
}
