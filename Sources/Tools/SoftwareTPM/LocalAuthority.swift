internal import Foundation

/// Replaces the chip's maker: an authority in its own folder, not in the user's home, that certifies endorsement keys.
struct LocalAuthority {
  let folder: URL

  /// The issuer's certificate and the root's; empty before ``manufacture(in:)``.
  var certificates: [URL] {
    ["issuercert.pem", "swtpm-localca-rootca-cert.pem"].map { folder.appendingPathComponent($0) }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// Creates a new chip in `state`, with certificates for its endorsement keys.
  func manufacture(in state: URL) async throws {
    let setup = try Program.path(of: "swtpm_setup", package: "swtpm-tools")
    let tool = try Program.path(of: "swtpm_localca", package: "swtpm-tools")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = folder.path
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
    let log = folder.appendingPathComponent("setup.log")
    let process = try await ChildProcess.start(
      setup,
      [
        "--tpm2", "--tpmstate", state.path, "--create-ek-cert", "--create-platform-cert", "--overwrite",
        "--config", "\(path)/setup.conf",
      ], output: log)
    guard await process.end() == 0 else {
      throw SoftwareTPMError("swtpm_setup cannot make a TPM: \(SoftwareTPMError.end(of: log))")
    }
  }

  private func write(_ text: String, to name: String) throws {
    try Data((text + "\n").utf8).write(to: folder.appendingPathComponent(name))
  }
}
