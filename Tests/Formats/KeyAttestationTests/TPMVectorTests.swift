import Bytes
import Crypto
import CryptoExtras
import Foundation
import JOSE
import KeyAttestation
import StrictJSON
import Testing
import X509

/// Certifications made by a TPM, the software TPM swtpm 0.7 with tpm2-tools 5.4, as follows (for RSA with `-G rsa2048` and
/// `-G rsa2048:rsassa-sha256:null`; after each command `tpm2_flushcontext -t`):
///
/// ```
/// tpm2_createprimary -C e -G ecc256 -c primary.ctx
/// tpm2_create -C primary.ctx -G ecc256:ecdsa-sha256:null -u ak.pub -r ak.priv \
///   -a 'fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|sign'
/// tpm2_create -C primary.ctx -G ecc256 -p 123456 -u key.pub -r key.priv \
///   -a 'fixedtpm|fixedparent|sensitivedataorigin|userwithauth|sign'
/// tpm2_load -C primary.ctx -u ak.pub -r ak.priv -c ak.ctx
/// tpm2_load -C primary.ctx -u key.pub -r key.priv -c key.ctx
/// tpm2_certify -c key.ctx -P 123456 -C ak.ctx -g sha256 -o certinfo.bin -s sig.bin -f tss
/// ```
///
/// tpm2_certify always gives the nonce 00ff55aa. The files `.pub` are here without the length that they begin with.
@Suite("Certifications by a TPM")
struct TPMVectorTests {
  @Test(arguments: [ecc, rsa])
  func `what a TPM certified is accepted`(_ vector: TPMVector) async throws {
    let attestation = try await vector.verify(challenge: [0x00, 0xFF, 0x55, 0xAA])
    #expect(attestation.json["tpm"]?["noDA"] == false)
    #expect(attestation.json["tpm"]?["firmwareVersion"] == "2019102300163636")
  }

  @Test(arguments: [ecc, rsa])
  func `it is not accepted for another challenge`(_ vector: TPMVector) async throws {
    let failure = await #expect(throws: AttestationFailure.self) {
      try await vector.verify(challenge: [0x00, 0xFF, 0x55, 0xAB])
    }
    #expect(failure?.check == .challengeMismatch)
  }

  static let ecc = TPMVector(
    name: "ecc256",
    attestationKey: """
      0023000b00050472000000100018000b000300100020a43d572dbd467fa18b72cc0fd7db96c87602f8b321f5407b536b\
      faae0be490310020576a70afbc8caada9bacae5fd07ca3433042b36970d1b326039429fa56a4fa6b
      """,
    key: """
      0023000b000400720000001000100003001000200d987b0a980b54894692f0ae113843a502e19f5ffc5e35d0356fa1d6\
      e41075900020dfa617fe0944734fd82691215bf5ba80d4a753a058a1b7210c0cc44def87b463
      """,
    certifyInfo: """
      ff54434780170022000b507ff35effcfa9477290869032085726f35ff4c166c7fa73f13b9e6ac0463df1000400ff55aa\
      000000000000047f00000002000000000120191023001636360022000bd893bbfc86c9ccc9c293af24ed17667ccb20d7\
      80a9425ff98047f682af969d8c0022000b9a5483ab644a4aa1e076174b5c8ef24fc5a814ec464feb6ef4af5cb8e55078\
      34
      """,
    signature: """
      0018000b0020d7e412998bd1b3bd792431f701212b3a1a52b6483894a74577022e3431cd3f4f0020bab4b6d488538bd2\
      a4ecccacd0e4675367d92b41fb614e179e44bbef833c9bd7
      """
  )

  static let rsa = TPMVector(
    name: "rsa2048",
    attestationKey: """
      0001000b00050472000000100014000b0800000000000100ddce7102fd64637d698d871c1346f3c08a9a5d1129eebb78\
      b9b4c7067bfe2f523814f2353cfc46f931e82098c0b376323f1021994c90b40a3fca4cdf6dab673928e0a2f6973e5810\
      b53b21090c30ecb1abfe99f1f8626ffdaf2701365729db9e4b4bb4d5e81958e07f6a355176865958cd30ff14a299efe8\
      ddec6136617989c503fcb7880a472c4ec159ca8900b8e40c530a2c169ceac8267c1693c2a1b2496c0851f32e99e43e8a\
      3fb04c929b2bbbf028a5f039006c95c52ac28b3fe0f4cb707f5909693225c9acf75ff8426a17c5cf05ec2ab18a9d743b\
      7ee4ecdadd16ed0e14c9a78ee352bbe02078e20c7d26de54c47484591dafad1d19559d3b0e77e7f7
      """,
    key: """
      0001000b000400720000001000100800000000000100acd6724848cafe41079d5271a50e73f303af8d68d60d6c4370a4\
      1577f2a89a5f2b68ee63004a5a04553f798091c41b9d5f31ef43533dc44786fa764f94fbe9717b1332853baa36c38287\
      b48db4ceb69247a4df2e5f20b5336bbae1aa03cb9b10f85a00b3ecb9fc1f5f54227eac33568ec7bcee9b80a1b9bc29d3\
      19de577a6987be12cf390640a78c7d6aaa6d6a00c8521d3710b9c05ae019854628900249adc6b0ac657b0cd75e6e3b43\
      2caa86f12ab4e7d455398a7e6b03dc6cb930db85cd92481fd533bdc33e75da2b97e7a88460a10d55da1530d02f29ea31\
      29415c8b115fd602f2afc0613be299524341a349c72c7fb99ee1750bfcb170212de6e9b9fa87
      """,
    certifyInfo: """
      ff54434780170022000bfe4e9e3442de1827d957d34f8b5fc87be078ee76d3120f5ffaf25c26b778f2ae000400ff55aa\
      000000000000066b00000002000000000120191023001636360022000bcd57a2c8e901955271e35c70b17d883c4634ea\
      9c7fe5505e77736f726952a1520022000bc7d3e5971897728b4423a4857a6cc329a8b51d23c005f723827b6b3515901f\
      03
      """,
    signature: """
      0014000b0100bbb916be1a233cdea7342fcc2924124104442bf2f3d1a30940455b7d247cfe090452b8f805c6e3e602c7\
      40d3a48283fde47df538e51c4530825b58d7e6b51991b7c9757e3aa479dd2109f21f3ccaf20f0bceb3bb34584b6cbe8b\
      158b0d5238cbdc004468cb1548f9594c89ac2380868ada3ce69bb406d777243aed6a3d475be93ca2a3694fc5644f31d2\
      4d686c62c16c74672761d3f48990c5b4753ae1eb694d6a48bda70a910fc6d0f91dcc33f93e430da30ed027a1d9feb03c\
      022ef82b97c093684fe760e36c52dedb9c9db23a3c8e87df95c3104f5c4e967f9778d809d053d7a8935ed5f125fd1c0a\
      81dbd89ed326d904f734cadedda886138d110c3470ba
      """
  )
}

/// Structures from a TPM in hexadecimal.
struct TPMVector: Sendable, CustomStringConvertible {
  let name: String

  /// TPMT_PUBLIC of the attestation key; its certificate is the test's.
  let attestationKey: String

  /// TPMT_PUBLIC of the certified key.
  let key: String
  let certifyInfo: String
  let signature: String

  var description: String { name }

  func verify(challenge: [UInt8]) async throws -> VerifiedAttestation {
    let root = try Authority.root("TPM Root")
    let leaf = try root.issue(
      Self.publicKey(Self.bytes(attestationKey)), subject: nil, profile: TPMScenario.attestationKeyProfile)
    let statement = TPMStatement(
      certifyInfo: Self.bytes(certifyInfo), signature: Self.bytes(signature), publicArea: Self.bytes(key))
    var json = Self.jwk(Self.bytes(key))
    json["x5c"] = [.string(Data(leaf.derBytes).base64EncodedString())]
    json["tpm"] = .object(statement.json)
    let verifier = AttestationVerifier(
      AttestationVerifier.Configuration(tpmRoots: try TrustAnchors([root.der])), clock: { testTime })
    return try await verifier.verify(jwk: json, challenge: challenge, requiresLockout: true)
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  /// The key's numbers stand at the end, each after its length.
  private static func jwk(_ area: [UInt8]) -> JSONObject {
    area[1] == 0x23
      ? [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(area[(area.count - 66)...].prefix(32))),
        "y": .string(Base64URL.encode(area.suffix(32))),
      ] : ["kty": "RSA", "n": .string(Base64URL.encode(area.suffix(256))), "e": "AQAB"]
  }

  private static func publicKey(_ area: [UInt8]) throws -> Certificate.PublicKey {
    if area[1] == 0x23 {
      return Certificate.PublicKey(
        try P256.Signing.PublicKey(
          rawRepresentation: area[(area.count - 66)...].prefix(32) + area.suffix(32)))
    }
    return Certificate.PublicKey(try _RSA.Signing.PublicKey(n: area.suffix(256), e: [1, 0, 1]))
  }
}
