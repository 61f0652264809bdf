import Crypto
import Foundation
import JOSE
import KeyAttestation
import StrictJSON
import Testing
import WebAuthnFormats
import WebAuthnVerification

@Suite("FIDO metadata")
struct MetadataTests {
  /// A blob and who judges it. As made, all is well; a test changes one thing.
  struct Scenario: Sendable {
    let authority: Authority
    let signer = P256.Signing.PrivateKey()
    var leaf = Authority.Leaf(
      country: nil, organization: nil, unit: nil, name: AuthenticatorMetadata.signerName)
    var statuses = ["FIDO_CERTIFIED", "UPDATE_AVAILABLE", "FIDO_CERTIFIED_L2"]
    var modelRoot: [UInt8] = []
    var hasChain = true
    var trusted: TrustAnchors?
    var time = testTime
    var changesBlob: @Sendable (String) -> String = { $0 }

    static let aaguid = AAGUID(uuid: "d5aa3358-1e8c-a478-e20f-e713f5d32ff2") ?? .zero

    init() throws { authority = try Authority() }

    func metadata() async throws -> AuthenticatorMetadata {
      let payload: JSONObject = [
        "legalHeader": "text", "no": 15, "nextUpdate": "2027-02-01",
        "entries": [
          ["aaid": "1234#5678", "statusReports": []],
          [
            "aaguid": .string(Self.aaguid.description),
            "metadataStatement": [
              "description": "A model",
              "attestationRootCertificates": modelRoot.isEmpty
                ? [] : [.string(Data(modelRoot).base64EncodedString())],
            ],
            "statusReports": .array(statuses.map { ["status": .string($0), "effectiveDate": "2026-01-01"] }),
          ],
        ],
      ]
      var extra = JSONObject()
      let certificate = Data(try authority.issue(signer.publicKey, leaf)).base64EncodedString()
      if hasChain { extra["x5c"] = [.string(certificate)] }
      let blob = try await JWS.compact(
        header: JWSHeader(algorithm: .es256, type: "JWT", extra: extra), claims: payload,
        signer: P256Signer(privateKey: signer))
      return try await AuthenticatorMetadata(
        blob: Array(changesBlob(blob).utf8), roots: trusted ?? TrustAnchors([authority.der]), at: time)
    }
  }

  @Test func `a sound blob is read`() async throws {
    let metadata = try await Scenario().metadata()
    #expect(metadata.number == 15)
    #expect(metadata.nextUpdate == "2027-02-01")
    #expect(metadata.count == 1)
    #expect(metadata[Scenario.aaguid]?.name == "A model")
    #expect(metadata[Scenario.aaguid]?.certification == .l2)
    #expect(metadata[.zero] == nil)
  }

  @Test func `a blob is outdated after the day of the next one`() async throws {
    let metadata = try await Scenario().metadata()
    // 1 and 2 February 2027, 0:00 UTC.
    #expect(!metadata.isOutdated(at: Date(timeIntervalSince1970: 1_801_440_000)))
    #expect(!metadata.isOutdated(at: Date(timeIntervalSince1970: 1_801_526_399)))
    #expect(metadata.isOutdated(at: Date(timeIntervalSince1970: 1_801_526_400)))
  }

  static let faults: [(String, @Sendable (inout Scenario) throws -> Void)] = [
    ("another root", { $0.trusted = try TrustAnchors([Authority().der]) }),
    ("no root", { $0.trusted = TrustAnchors() }),
    ("another name", { $0.leaf.name = "example.com" }),
    ("no certificates", { $0.hasChain = false }),
    ("a certificate that ended", { $0.time = testTime.addingTimeInterval(7200) }),
    ("another signature", { $0.changesBlob = { String($0.dropLast(4)) + "AAAA" } }),
    ("no JWS", { $0.changesBlob = { _ in "{}" } }),
    ("a root that is none", { $0.modelRoot = [0x30, 0] }),
  ]

  @Test(arguments: 0..<faults.count)
  func `what is not FIDO's is refused`(index: Int) async throws {
    var scenario = try Scenario()
    try Self.faults[index].1(&scenario)
    let changed = scenario
    await #expect(throws: MetadataError.self, "\(Self.faults[index].0)") { _ = try await changed.metadata() }
  }

  @Test func `a model's own root is trusted, and its level counts`() async throws {
    let vector = try Vectors.shared.named("packed.EdDSA")
    var policy = try Vectors.shared.registrationPolicy()
    policy.attestation.roots = TrustAnchors()
    policy.attestation.minimumCertification = .l2
    var scenario = try Scenario()
    scenario.modelRoot = Vectors.shared.root
    policy.attestation.metadata = try await scenario.metadata()
    func verify(_ policy: RegistrationVerifier.Policy) async throws -> VerifiedRegistration {
      try await RegistrationVerifier(policy, clock: { testTime }).verify(
        vector.registrationResponse, challenge: vector.registration("challenge"))
    }
    let attestation = try await verify(policy).attestation
    #expect(attestation.type == .ca)
    #expect(attestation.metadata?.name == "A model")

    policy.attestation.minimumCertification = .l2plus
    await expectFailure(.attestationNotTrusted, "FIDO_CERTIFIED_L2plus") { _ = try await verify(policy) }

    policy.attestation.minimumCertification = nil
    scenario.statuses.append("ATTESTATION_KEY_COMPROMISE")
    policy.attestation.metadata = try await scenario.metadata()
    await expectFailure(.attestationNotTrusted, "ATTESTATION_KEY_COMPROMISE") { _ = try await verify(policy) }
  }

  /// Whoever has a certificate under a configured root, such as every Android phone, chooses the AAGUID that the answer names.
  @Test func `a configured root proves no model, and so no level`() async throws {
    let vector = try Vectors.shared.named("packed.EdDSA")
    var policy = try Vectors.shared.registrationPolicy()
    var scenario = try Scenario()
    for modelRoot in [[], try Authority().der] {
      scenario.modelRoot = modelRoot
      policy.attestation.metadata = try await scenario.metadata()
      policy.attestation.minimumCertification = nil
      func verify(_ policy: RegistrationVerifier.Policy) async throws -> VerifiedRegistration {
        try await RegistrationVerifier(policy, clock: { testTime }).verify(
          vector.registrationResponse, challenge: vector.registration("challenge"))
      }
      #expect(try await verify(policy).attestation.type == .ca)
      policy.attestation.minimumCertification = .l1
      await expectFailure(.attestationNotTrusted) { [policy] in _ = try await verify(policy) }
    }
  }
}
