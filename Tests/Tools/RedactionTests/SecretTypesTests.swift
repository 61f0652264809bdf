import ArgumentParser
import Bytes
import CommonFixtures
import Foundation
import StrictJSON
import Testing

@testable import Assembly
@testable import DeviceKeys
@testable import DeviceKeysTPM
@testable import FRAuth
@testable import JOSE
@testable import JourneyEngine
@testable import JourneyStore
@testable import OATH
@testable import Operations
@testable import PasswordHashing
@testable import PingDeviceClient
@testable import PingJourney
@testable import PingOath
@testable import PingPush
@testable import PingStorage
@testable import PushFormats
@testable import RestAPI
@testable import sealring
@testable import ServerHTTP
@testable import UserVerification

/// A value of a secret type, and texts in which the secret would be recognised.
struct SecretCase: Sendable, CustomTestStringConvertible {
  let name: String
  let make: @Sendable () throws -> (value: Any, leaks: [String])

  var testDescription: String { name }

  init(_ name: String, _ make: @escaping @Sendable () throws -> (value: Any, leaks: [String])) {
    self.name = name
    self.make = make
  }

  /// Secrets of text.
  static func text(_ name: String, _ make: @escaping @Sendable (String) throws -> Any) -> Self {
    Self(name) { (try make(secretText), [secretText, String(secretText.dropFirst(4))]) }
  }

  /// Secrets of 32 bytes: as an array is printed, in hexadecimal and in both alphabets of Base64.
  static func bytes(_ name: String, _ make: @escaping @Sendable ([UInt8]) throws -> Any) -> Self {
    Self(name) {
      let hex = secretBytes.map { String(format: "%02x", $0) }.joined()
      let base64 = Data(secretBytes).base64EncodedString()
      return (
        try make(secretBytes),
        [
          "201, 202, 203", "201\n", hex, base64, String(base64.prefix(12)),
          base64.replacing("+", with: "-").replacing("/", with: "_"),
        ]
      )
    }
  }

  static let secretText = "sst_Nm9uZSBvZiB5b3VyIGJ1c2luZXNzIGF0IGFsbCEhISE"
  static let secretBytes = (0..<32).map { UInt8(201 + $0) }

  static var all: [SecretCase] {
    [
      .text("Secret") { Secret($0) },
      .text("SessionToken") { try #require(SessionToken(presented: $0)) },
      .bytes("SealingKey") { SealingKey(serverSecret: $0) },
      .bytes("ServerKey") { ServerKey(bytes: $0, place: "server.key") },
      .bytes("StoredSecret") { StoredSecret($0) },
      SecretCase("Argon2Hash") {
        let hash = try Argon2Hash(unmatchableWith: .standard) { _ in Array(secretBytes.prefix(16)) }
        return (
          hash, ["$argon2id", Data(secretBytes.prefix(16)).base64EncodedString().prefix(20).description]
        )
      },
      .bytes("PushSecret") { try PushSecret($0) },
      .bytes("SymmetricSecret") { try SymmetricSecret($0) },
      .bytes("OATHSecret") { try #require(OATHSecret($0)) },
      .text("PIN") { PIN($0) },
      .bytes("AuthorizationValue") { try #require(AuthorizationValue(bytes: $0)) },
      .bytes("KeyAuthorization") { KeyAuthorization(try #require(AuthorizationValue(bytes: $0))) },
      .text("CredentialSecret") { CredentialSecret($0) },
      .bytes("FolderSecret") { try FolderSecret($0, of: URL(filePath: "/keys/device.secret")) },
      .text("UserDraft") { try UserDraft(["username": "ada", "userpassword": .string($0)]) },
      .text("PushCodeChallenge") { PushCodeChallenge(code: $0) },
      .text("AdministrationClient") {
        AdministrationClient(server: try ServerOptions.parse([]), token: $0)
      },
      .text("Token") { Token(value: $0) },
      .text("SSOTokenImpl") { SSOTokenImpl(value: $0, successUrl: "", realm: "") },
      .text("PushDeviceToken") { PushDeviceToken(token: $0) },
      .text("DeviceClientConfig") {
        DeviceClientConfig(
          serverUrl: "https://id.example.com/am", realm: "alpha", cookieName: "c", ssoToken: $0)
      },
      .bytes("PushCredential") {
        PushCredential(
          issuer: "Example", accountName: "ada", serverEndpoint: "https://id.example.com",
          sharedSecret: Data($0).base64EncodedString())
      },
      .text("OathSecretKey") { OathSecretKey($0) },
      .text("OathCredential") {
        OathCredential(issuer: "Example", accountName: "ada", oathType: .totp, secretKey: $0)
      },
      .text("OathStoredCredential") {
        OathStoredCredential(
          OathCredential(issuer: "Example", accountName: "ada", oathType: .totp, secretKey: $0))
      },
      .text("OathCodeInfo") { OathCodeInfo.forHotp(code: $0, counter: 1) },
      .text("Secrets of the command line") { Secrets(givenPassword: $0, givenPIN: $0) },
      .text("KeptSession") {
        KeptSession(
          server: "https://id.example.com/am", realm: "alpha", username: "ada", token: $0,
          createdAt: .distantPast)
      },
    ] + oidc
  }
}

@Suite("Secrets are not shown")
struct SecretTypesTests {
  @Test(arguments: SecretCase.all)
  func `by print, dump, interpolation or reflection`(_ secret: SecretCase) throws {
    let (value, leaks) = try secret.make()
    var dumped = ""
    dump(value, to: &dumped)
    dump([value], to: &dumped)
    let shown = [
      "\(value)", String(describing: value), String(reflecting: value), "\([value])",
      "\(Optional(value) as Any)",
      dumped, Self.reflected(value, depth: 6),
    ].joined(separator: "\n")
    for leak in leaks { #expect(!shown.contains(leak), "\(secret.name) shows \(leak)") }
  }

  /// What somebody finds who walks through all mirrors.
  private static func reflected(_ value: Any, depth: Int) -> String {
    guard depth > 0 else { return "" }
    return Mirror(reflecting: value).children.map { child in
      "\(child.label ?? ""): \(child.value)\n" + reflected(child.value, depth: depth - 1)
    }.joined()
  }
}
