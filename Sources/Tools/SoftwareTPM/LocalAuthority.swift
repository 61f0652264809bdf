internal import Foundation

/// Stands in for the chip's maker: an authority in a folder of its own that certifies endorsement keys.
struct LocalAuthority {
  let folder: URL

  /// The issuer's certificate and the root's.
  var certificates: [URL] {
    ["issuercert.pem", "swtpm-localca-rootca-cert.pem"].map { folder.appending(path: $0) }
      .filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
  }

  /// Makes a new chip in `state`, with certificates for its endorsement keys.
  func manufacture(in state: URL) throws {
    let setup = try Program.find("swtpm_setup", package: "swtpm-tools")
    let tool = try Program.find("swtpm_localca", package: "swtpm-tools")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = folder.path(percentEncoded: false)
    try write(
      """
      statedir = \(path)
      signingkey = \(path)/signkey.pem
      issuercert = \(path)/issuercert.pem
      certserial = \(path)/certserial
      """, to: "localca.conf")
    try write(
      """
      --platform-manufacturer Sealring
      --platform-version 1.0
      --platform-model swtpm
      """, to: "localca.options")
    try write(
      """
      create_certs_tool=\(tool)
      create_certs_tool_config=\(path)/localca.conf
      create_certs_tool_options=\(path)/localca.options
      active_pcr_banks=sha256
      """, to: "setup.conf")
    let log = folder.appending(path: "setup.log").path(percentEncoded: false)
    let process = try ChildProcess(
      setup,
      [
        "--tpm2", "--tpmstate", state.path(percentEncoded: false), "--create-ek-cert",
        "--create-platform-cert",
        "--config", "\(path)/setup.conf", "--logfile", log, "--overwrite",
      ])
    guard process.wait() == 0 else {
      let reason = (try? String(contentsOfFile: log, encoding: .utf8))?.suffix(500) ?? ""
      throw SoftwareTPMError("swtpm_setup cannot make a TPM: \(reason)")
    }
  }

  private func write(_ text: String, to name: String) throws {
    try Data((text + "\n").utf8).write(to: folder.appending(path: name))
  }
}
