import AuthenticatorFixtures
import Bytes
import Crypto
import Foundation
import KeyAttestation
import StrictJSON
import Testing

@testable import AppIntegrity

private let challenge = "BBuZ+A9t9r0RT/ZpoBy4f5+OS0vMoQ02suUJ/MnK7BA="

/// One thing wrong, and the check that finds it.
struct WrongAnswer: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: AppIntegrityFailure.Check
  let change: @Sendable (inout AppAttestAuthority.Answer) -> Void

  init(
    _ description: String, _ check: AppIntegrityFailure.Check,
    _ change: @escaping @Sendable (inout AppAttestAuthority.Answer) -> Void
  ) {
    testDescription = description
    self.check = check
    self.change = change
  }
}

@Suite("App Attest") struct AppAttestTests {
  private let authority: AppAttestAuthority

  init() throws { authority = try AppAttestAuthority() }

  private func verify(
    _ inputs: [String: String], applications: [String] = ["ABCDE12345.com.example.app"],
    allowsDevelopment: Bool = false, acceptsTPM: Bool = false, roots: TrustAnchors? = nil,
    revoked: RevokedSerialNumbers = RevokedSerialNumbers(), at time: TimeInterval = 1_800_000_000
  ) async throws(AppIntegrityFailure) -> VerifiedAppIntegrity {
    var configuration = AttestationVerifier.Configuration(revoked: revoked)
    configuration.appAttestRoots = roots ?? (try? TrustAnchors([authority.root])) ?? TrustAnchors()
    let verifier = AppIntegrityVerifier(configuration) { Date(timeIntervalSince1970: time) }
    return try await verifier.verify(
      AppIntegrityVerifier.Answer(
        attestation: inputs["attestToken"] ?? "", assertion: inputs["token"] ?? "",
        keyID: inputs["keyId"] ?? "",
        clientData: inputs["clientData"] ?? ""),
      expecting: AppIntegrityVerifier.Expectations(
        challenge: challenge, applicationIDs: applications, allowsDevelopment: allowsDevelopment,
        acceptsTPM: acceptsTPM))
  }

  private func failure(
    _ body: () async throws(AppIntegrityFailure) -> VerifiedAppIntegrity
  ) async -> AppIntegrityFailure? {
    do throws(AppIntegrityFailure) {
      _ = try await body()
      return nil
    } catch {
      return error
    }
  }

  @Test func `the app, the environment, the key and the root of a genuine answer are known`() async throws {
    let inputs = try authority.inputs(AppAttestAuthority.Answer(challenge: challenge))
    let verified = try await verify(
      inputs, applications: ["ABCDE12345.com.example.other", "ABCDE12345.com.example.app"])
    #expect(verified.applicationID == "ABCDE12345.com.example.app")
    #expect(verified.evidence == .appAttest(.production))
    #expect(verified.json["kind"] == "appAttest" && verified.json["environment"] == "production")
    #expect(verified.json["keyId"] == inputs["keyId"].map { .string($0) })
    #expect(verified.json["root"]?["subject"] == "CN=App Attest Root")
  }

  @Test func `client data without a bundle identifier is accepted: the attestation has the app`() async throws
  {
    let answer = AppAttestAuthority.Answer(challenge: challenge, bundleID: nil)
    #expect(try await verify(authority.inputs(answer)).applicationID == "ABCDE12345.com.example.app")
  }

  static let wrong: [WrongAnswer] = [
    .init("another app", .applicationMismatch) { $0.applicationID = "ABCDE12345.com.example.evil" },
    .init("the same app of another team", .applicationMismatch) {
      $0.applicationID = "ZZZZZ12345.com.example.app"
    },
    .init("another challenge", .challengeMismatch) {
      $0.clientData = Array(#"{"challenge":"AAAA","bundleId":"com.example.app"}"#.utf8)
    },
    .init("no challenge", .clientDataMalformed) {
      $0.clientData = Array(#"{"bundleId":"com.example.app"}"#.utf8)
    },
    .init("the challenge twice", .clientDataMalformed) {
      $0.clientData = Array(#"{"challenge":"\#(challenge)","challenge":"AAAA"}"#.utf8)
    },
    .init("a bundle identifier that is no text", .clientDataMalformed) {
      $0.clientData = Array(#"{"challenge":"\#(challenge)","bundleId":7}"#.utf8)
    },
    .init("client data of another app", .clientDataMismatch) {
      $0.clientData = Array(#"{"challenge":"\#(challenge)","bundleId":"example.app"}"#.utf8)
    },
    .init("an attestation of another challenge", .nonceMismatch) {
      $0.attestedClientData = Array(#"{"challenge":"AAAA","bundleId":"com.example.app"}"#.utf8)
    },
    .init("no nonce", .nonceMismatch) { $0.nonceExtension = false },
    .init("a key that is not certified", .keyMismatch) {
      $0.certifiedKey = P256.Signing.PrivateKey().publicKey
    },
    .init("another key identifier", .keyMismatch) { $0.keyID = [UInt8](repeating: 1, count: 32) },
    .init("another credential", .keyMismatch) { $0.credentialID = [UInt8](repeating: 1, count: 32) },
    .init("a key that has signed before", .counterNotZero) { $0.counter = 1 },
    .init("the development environment", .developmentEnvironment) {
      $0.model = Array("appattestdevelop".utf8)
    },
    .init("an unknown environment", .environmentUnknown) { $0.model = Array("appattestsandbox".utf8) },
    .init("a passkey's attestation", .attestationMalformed) { $0.format = "apple" },
    .init("a truncated attestation", .attestationMalformed) { $0.changesAttestation = { $0.dropLast(1) } },
    .init("bytes after the attestation", .attestationMalformed) { $0.changesAttestation = { $0 + [0] } },
    .init("no attestation", .answerMalformed) { $0.changesAttestation = { _ in [] } },
    .init("no assertion", .answerMalformed) { $0.changesAssertion = { _ in [] } },
    .init("a truncated assertion", .assertionInvalid) { $0.changesAssertion = { $0.dropLast(1) } },
    .init("another key's assertion", .assertionInvalid) { $0.assertingKey = P256.Signing.PrivateKey() },
    .init("an assertion for another app", .assertionInvalid) {
      $0.assertedApplicationID = "ABCDE12345.com.example.evil"
    },
    .init("an assertion of another challenge", .assertionInvalid) {
      $0.assertedClientData = Array("{}".utf8)
    },
    .init("an assertion with the counter of the attestation", .assertionInvalid) { $0.assertionCounter = 0 },
  ]

  @Test(arguments: wrong) func `one wrong thing is refused for what is wrong`(wrong: WrongAnswer) async throws
  {
    var answer = AppAttestAuthority.Answer(challenge: challenge)
    wrong.change(&answer)
    let inputs = try authority.inputs(answer)
    #expect(
      await failure { () async throws(AppIntegrityFailure) in try await verify(inputs) }?.check == wrong.check
    )
  }

  @Test func `the development environment is accepted where it is allowed, and said`() async throws {
    var answer = AppAttestAuthority.Answer(challenge: challenge)
    answer.model = Array("appattestdevelop".utf8)
    let verified = try await verify(authority.inputs(answer), allowsDevelopment: true)
    #expect(verified.evidence == .appAttest(.development))
  }

  @Test func `no prefix of an attestation or an assertion passes, and none of them breaks anything`()
    async throws
  {
    let inputs = try authority.inputs(AppAttestAuthority.Answer(challenge: challenge))
    for name in ["attestToken", "token"] {
      let bytes = try #require(PaddedBase64.decode(inputs[name] ?? ""))
      for count in stride(from: 0, to: bytes.count, by: name == "token" ? 1 : 61) {
        var changed = inputs
        changed[name] = PaddedBase64.encode(bytes.prefix(count))
        let cut = changed
        #expect(await failure { () async throws(AppIntegrityFailure) in try await verify(cut) } != nil)
      }
    }
  }

  @Test func `no byte of an assertion can be changed`() async throws {
    let inputs = try authority.inputs(AppAttestAuthority.Answer(challenge: challenge))
    let bytes = try #require(PaddedBase64.decode(inputs["token"] ?? ""))
    var accepted: [Int] = []
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      var altered = inputs
      altered["token"] = PaddedBase64.encode(changed)
      let answer = altered
      let failure = await failure { () async throws(AppIntegrityFailure) in try await verify(answer) }
      if failure == nil { accepted.append(place) }
    }
    #expect(accepted.isEmpty)
  }

  @Test func `another authority of the same names and a time after the certificates are refused`()
    async throws
  {
    let inputs = try authority.inputs(AppAttestAuthority.Answer(challenge: challenge))
    let foreign = try TrustAnchors([AppAttestAuthority().root])
    #expect(
      await failure { () async throws(AppIntegrityFailure) in try await verify(inputs, roots: foreign) }?
        .check
        == .attestationUntrusted)
    #expect(
      await failure { () async throws(AppIntegrityFailure) in try await verify(inputs, roots: .appleAppAttest)
      }?.check
        == .attestationUntrusted)
    #expect(
      await failure { () async throws(AppIntegrityFailure) in try await verify(inputs, at: 2_100_000_000) }?
        .check
        == .attestationUntrusted)
  }

  @Test(arguments: ["attestToken", "token", "keyId", "clientData"])
  func `an input that is no Base64, or longer than any real one, is refused before it is read`(name: String)
    async throws
  {
    for text in ["%", String(repeating: "A", count: 400_000)] {
      var inputs = try authority.inputs(AppAttestAuthority.Answer(challenge: challenge))
      inputs[name] = text
      let answer = inputs
      #expect(
        await failure { () async throws(AppIntegrityFailure) in try await verify(answer) }?.check
          == .answerMalformed)
    }
  }

  @Test func `a signed token is refused where a TPM is not accepted, and one without evidence everywhere`()
    async throws
  {
    #expect(
      await failure { () async throws(AppIntegrityFailure) in try await verify(["attestToken": "a.b.c"]) }?
        .check
        == .deviceAttestationRefused)
    #expect(
      await failure { () async throws(AppIntegrityFailure) in
        try await verify(["attestToken": "a.b.c"], acceptsTPM: true)
      }?.check == .tokenMalformed)
  }

  @Test func `Apple's root is the published one`() throws {
    // The certificate signs itself, and is byte for byte the one that the PyPI package pyattest carries.
    #expect(
      TrustAnchors.appleAppAttest.fingerprints == [
        "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932"
      ])
    #expect(AttestationVerifier.Configuration().appAttestRoots == .appleAppAttest)
    #expect(AttestationVerifier.Configuration().trustsNothing, "it vouches for no bound key")
  }
}
