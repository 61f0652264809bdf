import Concurrency
import Crypto
import Foundation
import JourneyEngine
import JourneyStore
import KeyAttestation
import StrictJSON
import SwiftASN1
import Testing
import WebAuthnFormats
import X509

@testable import JourneyNodes

/// The vectors of WebAuthn Level 3 through the nodes: what was sent, judged, stored, and judged again.
@Suite("WebAuthn nodes and the specification's vectors") struct WebAuthnVectorTests {
  /// A vector, and what its attestation proves with the vectors' root and without.
  struct Vector: Sendable, CustomTestStringConvertible {
    let json: JSONValue
    var testDescription: String { json["name"]?.stringValue ?? "" }

    func bytes(_ ceremony: String, _ member: String) -> [UInt8] {
      WebAuthnVectorTests.bytes(json[ceremony]?[member]?.stringValue ?? "")
    }
  }

  private static let file = file("webauthn-vectors.json")

  /// Ours, in the form of real authenticators.
  private static let more = file("webauthn-more-vectors.json")

  private static func file(_ name: String) -> JSONValue {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Interoperability/\(name)").standardized
    return (try? JSONValue(parsing: Array(Data(contentsOf: file)))) ?? .null
  }

  static let vectors = (file["vectors"]?.arrayValue ?? []).map(Vector.init)

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.count, by: 2).compactMap { offset in
      UInt8(hexadecimal.dropFirst(offset).prefix(2), radix: 16)
    }
  }

  private static let properties: JSONObject = [
    "asScript": false, "relyingPartyDomain": "example.org", "origins": ["https://example.org"],
    "attestationPreference": "DIRECT", "generateRecoveryCodes": false, "validateFidoU2fAaguid": false,
    "storeAttestationDataInTransientState": true,
    "acceptedSigningAlgorithms": ["ES256", "ES384", "ES512", "RS256", "EDDSA"],
  ]

  /// Services whose random challenges are the vector's.
  private func services(
    _ world: World, _ challenge: [UInt8], roots: TrustAnchors, acceptsTPMSHA1: Bool = false
  ) -> NodeServices {
    var services = NodeServices(
      store: world.store, passwords: world.passwords, clock: world.services.clock,
      randomBytes: { $0 == 32 ? challenge : world.services.randomBytes($0) })
    services.webAuthn.roots = [WebAuthnTrust.standardAlias: roots]
    services.webAuthn.acceptsTPMSHA1 = acceptsTPMSHA1
    return services
  }

  private func run(
    _ type: String, _ services: NodeServices, _ more: JSONObject, _ outcome: String
  ) async throws -> (Visit, NodeResult) {
    var properties = Self.properties
    properties.merge(more)
    let maker = try #require(NodeLibrary.registry(services: services).maker(for: type))
    var visit = Visit(
      node: try maker(NodeDefinition(id: "n", type: type, properties: properties)),
      request: RequestFacts(realm: "alpha"), state: JourneyState(username: "mira"))
    _ = try await visit.ask()
    let result = try await visit.answer([:], ["": .string(outcome)])
    return (visit, result)
  }

  private func register(
    _ vector: Vector, _ world: World, roots: TrustAnchors, _ more: JSONObject = [:],
    acceptsTPMSHA1: Bool = false
  ) async throws -> (Visit, NodeResult) {
    let response = RegistrationResponse(
      clientDataJSON: vector.bytes("registration", "clientDataJSON"),
      attestationObject: vector.bytes("registration", "attestationObject"),
      credentialID: vector.bytes("registration", "credential_id"))
    return try await run(
      "WebAuthnRegistrationNode",
      services(
        world, vector.bytes("registration", "challenge"), roots: roots, acceptsTPMSHA1: acceptsTPMSHA1),
      more, response.text)
  }

  @Test(arguments: vectors)
  func `each is registered with the trust that it deserves, and signs in`(_ vector: Vector) async throws {
    let world = try await World()
    let root = Self.bytes(Self.file["attestationRoot"]?.stringValue ?? "")
    let name = vector.testDescription
    // The vectors' TPM certified a key that may leave it: the root proves nothing about such a key.
    let isMovable = name == "tpm.ES256"
    if isMovable {
      let (visit, result) = try await register(vector, try await World(), roots: try TrustAnchors([root]))
      #expect(result == .outcome("failure") && visit.reasons.contains { $0.contains("fixedTPM") })
    }
    let (visit, result) = try await register(
      vector, world, roots: isMovable ? TrustAnchors() : try TrustAnchors([root]))
    guard !name.hasSuffix("Origin") else {
      #expect(result == .outcome("failure"))
      #expect(visit.reasons.contains { $0.contains("crossOriginNotAllowed") })
      return
    }
    #expect(result == .outcome("success"), "\(visit.reasons)")
    let type =
      isMovable ? "BASIC" : name.hasPrefix("none") ? "NONE" : name.hasPrefix("packed-self") ? "SELF" : "CA"
    #expect(visit.state.transient["webauthnAttestationType"] == .string(type))

    let response = AssertionResponse(
      clientDataJSON: vector.bytes("authentication", "clientDataJSON"),
      authenticatorData: vector.bytes("authentication", "authenticatorData"),
      signature: vector.bytes("authentication", "signature"),
      credentialID: vector.bytes("registration", "credential_id"))
    let (signedIn, end) = try await run(
      "WebAuthnAuthenticationNode",
      services(world, vector.bytes("authentication", "challenge"), roots: TrustAnchors()),
      ["detectSignCountMismatch": true], response.text)
    #expect(end == .outcome("success"), "\(signedIn.reasons)")
  }

  @Test(arguments: (more["vectors"]?.arrayValue ?? []).map(Vector.init), [true, false])
  func `real authenticators' forms are registered, SHA-1 only where the server was told to take it`(
    _ vector: Vector, acceptsTPMSHA1: Bool
  ) async throws {
    let world = try await World()
    let roots = try TrustAnchors([Self.bytes(Self.more["attestationRoot"]?.stringValue ?? "")])
    let offer: JSONObject = ["acceptedSigningAlgorithms": ["ES256", "RS256", "ED448", "ML-DSA-65"]]
    let (visit, result) = try await register(
      vector, world, roots: roots, offer, acceptsTPMSHA1: acceptsTPMSHA1)
    let name = vector.testDescription
    guard acceptsTPMSHA1 || name != "tpm.RS1" else {
      #expect(result == .outcome("failure"))
      #expect(visit.reasons.contains { $0.contains("--webauthn-tpm-sha1") })
      #expect(try await world.webAuthnDevices().isEmpty)
      return
    }
    #expect(result == .outcome("success"), "\(visit.reasons)")
    let response = AssertionResponse(
      clientDataJSON: vector.bytes("authentication", "clientDataJSON"),
      authenticatorData: vector.bytes("authentication", "authenticatorData"),
      signature: vector.bytes("authentication", "signature"),
      credentialID: vector.bytes("registration", "credential_id"))
    let (signedIn, end) = try await run(
      "WebAuthnAuthenticationNode",
      services(world, vector.bytes("authentication", "challenge"), roots: TrustAnchors()), [:], response.text)
    #expect(end == .outcome("success"), "\(signedIn.reasons)")
    let device = try #require(try await world.webAuthnDevices().first)
    let key: [String: String] = ["packed-self.Ed448": "Ed448", "packed-self.ML-DSA-65": "ML-DSA-65"]
    #expect(device.stateForm["algorithm"]?.stringValue == key[name] ?? "SHA256withRSA")
  }

  private static func otherRoot() throws -> TrustAnchors {
    let key = P256.Signing.PrivateKey()
    let name = try DistinguishedName { CommonName("Somebody else") }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(1),
      publicKey: Certificate.PublicKey(key.publicKey),
      notValidBefore: Date(timeIntervalSince1970: 1_700_000_000),
      notValidAfter: Date(timeIntervalSince1970: 2_000_000_000), issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions([
        Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true)
      ]), issuerPrivateKey: Certificate.PrivateKey(key))
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return try TrustAnchors([serializer.serializedBytes])
  }

  @Test func `a certificate that leads to no configured root is refused, unless nobody asks for one`()
    async throws
  {
    let vector = try #require(Self.vectors.first { $0.testDescription == "packed.ES256" })
    let other = try Self.otherRoot()
    let world = try await World()
    let (refused, failure) = try await register(vector, world, roots: other)
    #expect(failure == .outcome("failure"))
    #expect(
      refused.reasons.contains { $0.contains("attestationNotTrusted: chainUntrusted (unknownIssuer): ") })
    let second = try await World()
    let (unproven, basic) = try await register(vector, second, roots: TrustAnchors())
    #expect(basic == .outcome("success"))
    #expect(unproven.state.transient["webauthnAttestationType"] == "BASIC")
    let third = try await World()
    let (_, unasked) = try await register(vector, third, roots: other, ["attestationPreference": "NONE"])
    #expect(unasked == .outcome("success"))
  }

  @Test
  func
    `where revocation is enforced without a list, or a certified model is asked for, no certificate will do`()
    async throws
  {
    let vector = try #require(Self.vectors.first { $0.testDescription == "packed.ES256" })
    for more in [
      ["enforceRevocationCheck": true], ["fidoCertificationLevel": "FIDO_CERTIFIED_L1"],
    ] as [JSONObject] {
      let world = try await World()
      let (visit, result) = try await register(vector, world, roots: TrustAnchors(), more)
      #expect(result == .outcome("failure"))
      #expect(visit.reasons.contains { $0.contains("attestationNotTrusted") })
    }
  }

  @Test func `a vector that does not verify the person is refused where that is required`() async throws {
    let vector = try #require(Self.vectors.first { $0.testDescription == "none.ES256" })
    let world = try await World()
    let (visit, result) = try await register(
      vector, world, roots: TrustAnchors(), ["userVerificationRequirement": "REQUIRED"])
    #expect(result == .outcome("failure"))
    #expect(visit.reasons.contains { $0.contains("userNotVerified") })
  }
}
