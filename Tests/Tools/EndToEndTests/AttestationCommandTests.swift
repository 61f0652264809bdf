import CommonFixtures
import AttestationAuthority
import Bytes
import Crypto
import Foundation
import KeyAttestation
import PingLogger
import PingNetwork
import ProofFixtures
import SoftwareTPM
import StrictJSON
import SwiftASN1
import Testing
import X509

/// Roots given to `sealring serve`, what becomes of them over HTTP and in `devices list`, and the authority's commands.
@Suite struct AttestationCommandTests {
  private static let password = "Correct horse battery 1"

  private static func path(_ url: URL) -> String { url.path(percentEncoded: false) }

  @Test(.timeLimit(.minutes(2)))
  func `a key attested up to a given root is bound, and its record and the list say by which`() async throws {
    try await withTemporaryFolder { folder in
      let maker = try Maker()
      let roots = folder.appending(path: "roots")
      try FileManager.default.createDirectory(at: roots, withIntermediateDirectories: true)
      try maker.rootPEM.write(to: roots.appending(path: "maker.crt"), atomically: true, encoding: .utf8)
      let server = try await ServerProcess.start(
        data: folder.appending(path: "server"), arguments: ["--tpm-roots", Self.path(roots)])
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      _ = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
      let refused = try await maker.bind("mira", Self.password, at: server.address, attested: false)
      #expect(refused["tokenId"] == nil)
      let bound = try await maker.bind("mira", Self.password, at: server.address, attested: true)
      #expect(bound["tokenId"] != nil, "\(bound.text)")

      let list = ["devices", "--server", server.address, "--username", "mira", "--password-stdin"]
      let records = try await tool.run(list + ["--json"], input: Self.password + "\n").json
      let attestation = try #require(records[0]?["attestation"])
      #expect(
        attestation.objectValue?.names == ["kind", "securityLevel", "root", "tpm", "verifiedDate"])
      #expect(attestation["kind"] == "tpm" && attestation["root"]?["subject"] == "CN=Chip Maker")
      #expect(attestation["root"]?["sha256"]?.stringValue == maker.fingerprint)
      #expect(attestation["verifiedDate"]?.integerValue == records[0]?["createdDate"]?.integerValue)
      let table = try await tool.run(list, input: Self.password + "\n")
      #expect(
        table.output.contains("TPM, root CN=Chip Maker (SHA-256 \(maker.fingerprint.prefix(16))…)\n"),
        "\(table.output)")
      #expect(await server.stop().status == 0)
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `a certificate on the list of revoked ones attests nothing`() async throws {
    try await withTemporaryFolder { folder in
      let maker = try Maker()
      let (root, revoked) = (folder.appending(path: "root.pem"), folder.appending(path: "revoked"))
      try maker.rootPEM.write(to: root, atomically: true, encoding: .utf8)
      try "# lost devices\n\n00:07\n".write(to: revoked, atomically: true, encoding: .utf8)
      let server = try await ServerProcess.start(
        data: folder.appending(path: "server"),
        arguments: ["--tpm-roots", Self.path(root), "--revoked-certificates", Self.path(revoked)])
      let tool = CommandLineTool(
        home: folder, environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      _ = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
      let refused = try await maker.bind("mira", Self.password, at: server.address, attested: true)
      #expect(refused["tokenId"] == nil)
      #expect(await server.stop().status == 0)
    }
  }

  @Test(
    arguments: ["--tpm-roots", "--android-roots", "--app-attest-roots", "--revoked-certificates"],
    ["missing", "damaged", "empty"])
  func `a bad file is named, and nothing listens`(option: String, kind: String) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: kind)
      if kind == "damaged" { try Data("no certificate\n".utf8).write(to: file) }
      if kind == "empty" {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
      }
      let tool = CommandLineTool(home: folder)
      let result = try await tool.run(["serve", "--port", "0", option, Self.path(file)])
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(result.errors.contains(Self.path(file)), "\(result.errors)")
    }
  }

  @Test func `journey check warns of attestation without roots, and only then`() async throws {
    try await withTemporaryFolder { folder in
      let root = folder.appending(path: "root.pem")
      try Maker().rootPEM.write(to: root, atomically: true, encoding: .utf8)
      let journey = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "journeys/BindDeviceAttested.journey.json")
      let tool = CommandLineTool(home: folder)
      let without = try await tool.run(["journey", "check", Self.path(journey)])
      #expect(without.status == 0 && without.errors.contains("no attestation roots are configured"))
      let with = try await tool.run(["journey", "check", Self.path(journey), "--tpm-roots", Self.path(root)])
      #expect(with.status == 0 && with.errors.isEmpty)
    }
  }

  @Test func `an authority is made, printed, and answers a request`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let authority = Self.path(folder.appending(path: "authority"))
      let create = ["attestation", "authority", "create", "--dir", authority, "--name", "Acme Kiosks"]
      let made = try await tool.run(create)
      #expect(made.status == 0 && made.output.isEmpty, "\(made.errors)")
      let again = try await tool.run(create)
      #expect(again.status == 1 && again.errors.contains("not empty"))
      let root = try await tool.run(["attestation", "root", "--authority", authority])
      #expect(root.status == 0)
      #expect(!(try TrustAnchors([Array(root.output.utf8)]).isEmpty))

      let request = folder.appending(path: "request.json")
      try Data(Maker.request().json.serialized).write(to: request)
      let answer = folder.appending(path: "answer.json")
      let issue = [
        "attestation", "issue", "--authority", authority, Self.path(request), Self.path(answer), "--force",
      ]
      #expect(try await tool.run(issue).status == 64)
      let issued = try await tool.run(issue + ["--accept-any-endorsement-key", "--json"])
      #expect(issued.status == 0, "\(issued.errors)")
      #expect(
        try issued.json.objectValue?.names == [
          "serialNumber", "attestationKey", "notAfter", "endorsementRoot",
        ])
      _ = try AttestationKeyCredential(parsing: Array(Data(contentsOf: answer)))
      let roots = folder.appending(path: "makers.pem")
      try Maker().rootPEM.write(to: roots, atomically: true, encoding: .utf8)
      let refused = try await tool.run(issue + ["--ek-roots", Self.path(roots)])
      #expect(refused.status == 1 && refused.errors.contains("endorsementCertificateMissing"))
      try Data("{}".utf8).write(to: request)
      let malformed = try await tool.run(issue + ["--accept-any-endorsement-key"])
      #expect(malformed.status == 1 && malformed.errors.contains("requestMalformed"))
    }
  }
}

/// The commands with a TPM between them.
@Suite(.serialized) struct EnrolmentCommandTests {
  @Test(.timeLimit(.minutes(2)))
  func
    `a device's TPM is certified below its maker's root, and its attested key is bound; another's answer is refused`()
    async throws
  {
    try await withTemporaryFolder { folder in
      func file(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
      let operatorTool = CommandLineTool(home: folder.appending(path: "operator"))
      let made = try await operatorTool.run([
        "attestation", "authority", "create", "--dir", file("authority"),
      ])
      #expect(made.status == 0, "\(made.errors)")
      try await SoftwareTPM.run { chip in
        let device = CommandLineTool(home: folder.appending(path: "device"))
        let request = try await device.run(
          ["attestation", "request", "--tcti", chip.tcti, file("request.json")])
        #expect(request.status == 0, "\(request.errors)")
        let issue = ["attestation", "issue", "--authority", file("authority")]
        let roots = chip.endorsementAuthorities.flatMap { ["--ek-roots", $0.path(percentEncoded: false)] }
        let issued = try await operatorTool.run(
          issue + roots + [file("request.json"), file("credential.json"), "--json"])
        #expect(issued.status == 0, "\(issued.errors)")
        #expect(try issued.json["endorsementRoot"]?["subject"]?.stringValue?.contains("swtpm") == true)

        try await SoftwareTPM.run { other in
          let stranger = CommandLineTool(home: folder.appending(path: "stranger"))
          let refused = try await stranger.run(
            ["attestation", "install", "--tcti", other.tcti, file("credential.json")])
          #expect(refused.status == 1, "\(refused.errors)")
        }
        let installed = try await device.run(
          ["attestation", "install", "--tcti", chip.tcti, file("credential.json")])
        #expect(installed.status == 0, "\(installed.errors)")

        let server = try await ServerProcess.start(
          data: folder.appending(path: "server"), arguments: ["--tpm-roots", file("authority/root.pem")])
        let administrator = CommandLineTool(
          home: folder, environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
        let account = ["--server", server.address, "--username", "mira", "--password-stdin"]
        _ = try await administrator.run(
          ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: "A pass phrase 1\n")
        let bound = try await device.run(
          [
            "bind", "--journey", "BindDeviceAttested", "--store", "tpm", "--tcti", chip.tcti, "--pin-stdin",
            "--json",
          ]
            + account, input: "A pass phrase 1\n271828\n")
        #expect(bound.status == 0, "\(bound.errors)")
        #expect(try bound.json["attested"] == true && bound.json["store"] == "tpm")
        let list = try await device.run(["devices"] + account, input: "A pass phrase 1\n")
        #expect(list.output.contains("TPM, root CN=Sealring Attestation Authority"), "\(list.output)")
        #expect(await server.stop().status == 0)
      }
      let absent = try await operatorTool.run(
        ["attestation", "request", "--tcti", "device:/nowhere", file("none.json")])
      #expect(absent.status == 1 && absent.errors.contains("/nowhere"), "\(absent.errors)")
    }
  }
}

/// A maker of TPMs, and one that it made: structures as a TPM's, by a key that no TPM has.
private struct Maker {
  private let rootKey = P256.Signing.PrivateKey()
  private let attestationKey = P256.Signing.PrivateKey()
  private let root: Certificate

  /// SHA-256 of the root certificate.
  let fingerprint: String

  init() throws {
    let name = try DistinguishedName { CommonName("Chip Maker") }
    root = try Self.certificate(
      rootKey.publicKey, subject: name, by: rootKey, serialNumber: 1,
      Certificate.Extensions { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) })
    fingerprint = SHA256.hash(data: try Self.der(root)).map { String(format: "%02x", $0) }.joined()
  }

  var rootPEM: String { get throws { try root.serializeAsPEM().pemString + "\n" } }

  /// Binds a new key in the journey BindDeviceAttested, over HTTP alone. The answer to the proof.
  func bind(_ username: String, _ password: String, at server: String, attested: Bool) async throws
    -> JSONValue
  {
    let path = "\(server)/json/realms/root/realms/alpha/authenticate"
    let step = try await Self.post(
      path + "?authIndexType=service&authIndexValue=BindDeviceAttested", [:],
      ["X-OpenAM-Username": username, "X-OpenAM-Password": password])
    let outputs = step["callbacks"]?[0]?["output"]?.arrayValue ?? []
    func output(_ name: String) throws -> JSONValue {
      try #require(outputs.first { $0["name"] == .string(name) }?["value"])
    }
    let key = P256.Signing.PrivateKey()
    let challenge = try #require(try output("challenge").stringValue)
    var jwk = try key.publicKey.jwk(keyID: "key-1")
    if attested { jwk.merge(try evidence(of: key.publicKey, challenge: challenge)) }
    let now = Int64(Date().timeIntervalSince1970)
    let payload: JSONObject = [
      "sub": try output("userId"), "iss": "com.sealring.cli", "challenge": .string(challenge),
      "platform": "linux", "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + 60),
    ]
    let header: JSONObject = ["alg": "ES256", "typ": "JWS", "kid": "key-1", "jwk": .object(jwk)]
    let signed = Base64URL.encode(header.serialized) + "." + Base64URL.encode(payload.serialized)
    let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
    let inputs = [
      ("jws", "\(signed).\(Base64URL.encode(signature))"), ("deviceName", "Kiosk"), ("deviceId", "k1"),
    ]
    .map { JSONValue.object(["name": .string("IDToken1\($0)"), "value": .string($1)]) }
    return try await Self.post(
      path,
      [
        "authId": step["authId"] ?? .null,
        "callbacks": [["type": "DeviceBindingCallback", "input": .array(inputs), "_id": 0]],
      ])
  }

  /// A request with keys that no TPM has.
  static func request() -> AttestationKeyRequest {
    let endorsementKey = P256.KeyAgreement.PrivateKey().publicKey
    return AttestationKeyRequest(
      endorsementCertificate: nil,
      endorsementKey: area(
        Array(endorsementKey.rawRepresentation), [0, 3, 0, 0xB2], [0, 6, 0, 128, 0, 0x43, 0, 0x10]),
      attestationKey: area(
        Array(P256.Signing.PrivateKey().publicKey.rawRepresentation), [0, 5, 0, 0x72],
        [0, 0x10, 0, 0x18, 0, 0x0B]))
  }

  /// TPMT_PUBLIC.
  private static func area(_ point: [UInt8], _ attributes: [UInt8], _ schemes: [UInt8]) -> [UInt8] {
    [0, 0x23, 0, 0x0B] + attributes + [0, 0] + schemes + [0, 3, 0, 0x10, 0, 32] + point[..<32] + [0, 32]
      + point[32...]
  }

  private func evidence(of key: P256.Signing.PublicKey, challenge: String) throws -> JSONObject {
    let leaf = try Self.certificate(
      attestationKey.publicKey, subject: DistinguishedName(), by: rootKey, serialNumber: 7,
      Certificate.Extensions { try ExtendedKeyUsage([.init(oid: [2, 23, 133, 8, 3])]) })
    let area = Self.area(Array(key.rawRepresentation), [0, 4, 0, 0x72], [0, 0x10, 0, 0x10])
    let nonce = Array(try #require(Data(base64Encoded: challenge)))
    let info: [UInt8] =
      [0xFF, 0x54, 0x43, 0x47, 0x80, 0x17, 0, 0, 0, UInt8(nonce.count)] + nonce
      + Array(repeating: 0, count: 16 + 1 + 8) + [0, 34, 0, 0x0B] + Array(SHA256.hash(data: area)) + [0, 0]
    let raw = Array(try attestationKey.signature(for: info).rawRepresentation)
    let statement = TPMStatement(
      certifyInfo: info, signature: [0, 0x18, 0, 0x0B, 0, 32] + raw[..<32] + [0, 32] + raw[32...],
      publicArea: area)
    return [
      "x5c": [.string(Data(try Self.der(leaf)).base64EncodedString())], "tpm": .object(statement.json),
    ]
  }

  private static func certificate(
    _ key: P256.Signing.PublicKey, subject: DistinguishedName, by issuer: P256.Signing.PrivateKey,
    serialNumber: Int, _ extensions: Certificate.Extensions
  ) throws -> Certificate {
    try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(serialNumber), publicKey: .init(key),
      notValidBefore: Date() - 3600, notValidAfter: Date() + 3600,
      issuer: DistinguishedName { CommonName("Chip Maker") }, subject: subject,
      signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: .init(issuer))
  }

  private static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }

  private static func post(
    _ address: String, _ body: JSONObject, _ headers: [String: String] = [:]
  ) async throws -> JSONValue {
    let client = PingNetwork.HttpClient.createClient { $0.logger = LogManager.none }
    let answer = await client.request { request in
      request.url = address
      for (name, value) in headers { request.setHeader(name: name, value: value) }
      request.post(contentType: "application/json", body: JSONValue.object(body).text)
    }
    return try JSONValue(parsing: answer.get().body ?? Data())
  }
}
