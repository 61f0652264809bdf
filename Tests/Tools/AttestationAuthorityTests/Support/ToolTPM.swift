import CommonFixtures
import Foundation
import KeyAttestation

/// A TPM in software (swtpm) whose endorsement keys a maker has certified, worked with tpm2-tools: nothing of ours is on its side.
final class ToolTPM {
  /// Where an endorsement key comes from.
  enum EndorsementKey: String, CaseIterable {
    /// RSA 2048, SHA-256, AES-128.
    case rsa
    /// P-384, SHA-384, AES-256.
    case p384
    /// P-256, SHA-256, AES-128; without a certificate.
    case p256
  }

  /// An object in the TPM.
  struct Object {
    let context: String
    /// TPMT_PUBLIC.
    let publicArea: [UInt8]
  }

  private let temporary = TemporaryFolder()
  private let process: Program
  private let environment: [String: String]

  init() throws {
    let folder = temporary.url
    let state = folder.appending(path: "state")
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    let log = folder.appending(path: "log")
    let maker = folder.appending(path: "maker").path
    try """
    statedir = \(maker)
    signingkey = \(maker)/signkey.pem
    issuercert = \(maker)/issuer.pem
    certserial = \(maker)/serial
    """.write(to: folder.appending(path: "maker.conf"), atomically: true, encoding: .utf8)
    try """
    create_certs_tool = swtpm_localca
    create_certs_tool_config = \(folder.path)/maker.conf
    create_certs_tool_options = /dev/null
    """.write(to: folder.appending(path: "setup.conf"), atomically: true, encoding: .utf8)
    try Program.run(
      [
        "swtpm_setup", "--tpm2", "--tpmstate", state.path, "--create-ek-cert", "--config",
        "\(folder.path)/setup.conf",
      ], log: log)
    (process, environment) = try Self.start(state, log: log)
  }

  deinit { process.end() }

  private static func start(_ state: URL, log: URL) throws -> (Program, [String: String]) {
    for _ in 1...10 {
      let port = Int.random(in: 20000...60000)
      let process = try Program(
        [
          "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(state.path)",
          "--server", "type=tcp,port=\(port),bindaddr=127.0.0.1",
          "--ctrl", "type=tcp,port=\(port + 1),bindaddr=127.0.0.1",
          "--flags", "not-need-init,startup-clear",
        ], log: log)
      let environment = ["TPM2TOOLS_TCTI": "swtpm:host=127.0.0.1,port=\(port)"]
      // It either answers or, when a port is taken, ends.
      for _ in 1...500 where process.isRunning {
        let probe = log.appendingPathExtension("probe")
        if (try? Program.run(["tpm2_getrandom", "--hex", "4"], environment: environment, log: probe)) != nil {
          return (process, environment)
        }
      }
      process.end()
    }
    throw Program.Failed(description: "swtpm does not start")
  }

  /// The maker's root certificate and the one between.
  func makerCertificates() throws -> (root: [UInt8], intermediate: [UInt8]) {
    (try der("maker/swtpm-localca-rootca-cert.pem"), try der("maker/issuer.pem"))
  }

  /// The endorsement key and its certificate.
  func endorsementKey(_ kind: EndorsementKey) throws -> (key: Object, certificate: [UInt8]?) {
    switch kind {
    case .rsa: return (try object("0x81010001"), try nonvolatile("0x1c00002"))
    case .p384: return (try object("0x81010016"), try nonvolatile("0x1c00016"))
    case .p256:
      try tool("tpm2_createek", "-G", "ecc", "-c", path("ek.ctx"), "-u", path("ek.pub"))
      return (try object(path("ek.ctx")), nil)
    }
  }

  /// A restricted signing key.
  func attestationKey(beside endorsementKey: Object, algorithm: String) throws -> Object {
    let context = path("ak-\(UUID().uuidString).ctx")
    try tool(
      "tpm2_createak", "-C", endorsementKey.context, "-c", context, "-G", algorithm, "-g", "sha256", "-s",
      algorithm == "ecc" ? "ecdsa" : "rsassa")
    return try object(context)
  }

  /// TPM2_ActivateCredential: the secret, if the TPM gives it out.
  func activate(
    _ credential: AttestationKeyCredential, _ attestationKey: Object, _ endorsementKey: Object
  ) throws -> [UInt8] {
    let (blob, secret) = (path("credential"), path("secret"))
    let parts = [credential.credentialBlob, credential.encryptedSecret].map { bytes in
      [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
    // Magic and version of the tools' own file.
    try write([0xBA, 0xDC, 0xC0, 0xDE, 0, 0, 0, 1] + parts[0] + parts[1], to: blob)
    let command = [
      "tpm2_activatecredential", "-c", attestationKey.context, "-C", endorsementKey.context, "-i", blob,
      "-o", secret,
    ]
    // userWithAuth: the templates of the low range leave it out, and with it everything but the policy.
    if endorsementKey.publicArea[7] & 0x40 != 0 {
      try tool(command)
    } else {
      try tool("tpm2_startauthsession", "--policy-session", "-S", path("session"))
      defer { try? tool("tpm2_flushcontext", path("session")) }
      try tool("tpm2_policysecret", "-S", path("session"), "-c", "e")
      try tool(command + ["-P", "session:\(path("session"))"])
    }
    return try read(secret)
  }

  /// A signing key, and what the attestation key certifies of it. The tool's qualifying data are fixed: 00ff55aa.
  func certifiedKey(by attestationKey: Object) throws -> TPMStatement {
    try tool("tpm2_createprimary", "-C", "o", "-c", path("parent.ctx"))
    try tool(
      "tpm2_create", "-C", path("parent.ctx"), "-G", "ecc256:ecdsa-sha256", "-u", path("key.pub"), "-r",
      path("key.priv"), "-a", "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|sign")
    try tool(
      "tpm2_load", "-C", path("parent.ctx"), "-u", path("key.pub"), "-r", path("key.priv"), "-c",
      path("key.ctx"))
    let key = try object(path("key.ctx"))
    try tool(
      "tpm2_certify", "-c", key.context, "-C", attestationKey.context, "-g", "sha256", "-o",
      path("attest"), "-s", path("signature"))
    return TPMStatement(
      certifyInfo: try read(path("attest")), signature: try read(path("signature")),
      publicArea: key.publicArea)
  }

  private func object(_ context: String) throws -> Object {
    let file = path("public")
    try tool("tpm2_readpublic", "-c", context, "-f", "tpmt", "-o", file)
    return Object(context: context, publicArea: try read(file))
  }

  private func nonvolatile(_ index: String) throws -> [UInt8] {
    try tool("tpm2_nvread", index, "-C", "o", "-o", path("nv"))
    return try read(path("nv"))
  }

  private func tool(_ arguments: String...) throws { try tool(arguments) }

  private func tool(_ arguments: [String]) throws {
    let log = temporary.file("tool.log")
    try Program.run(arguments, environment: environment, log: log)
    // The tools leave what they loaded in the TPM's three slots.
    try Program.run(["tpm2_flushcontext", "-t"], environment: environment, log: log)
  }

  private func path(_ name: String) -> String { temporary.file(name).path }

  private func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  private func der(_ name: String) throws -> [UInt8] {
    let pem = try String(contentsOf: temporary.file(name), encoding: .utf8)
    let lines =
      pem.components(separatedBy: "-----BEGIN CERTIFICATE-----").last?
      .components(separatedBy: "-----END").first ?? ""
    return Array(Data(base64Encoded: lines, options: .ignoreUnknownCharacters) ?? Data())
  }
}
