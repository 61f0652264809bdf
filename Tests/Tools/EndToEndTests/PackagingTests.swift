import Foundation
import Testing

/// What `scripts/package` makes, judged by scripts. Release builds and the other kinds of fresh roots are `scripts/package --check`,
/// run by hand.
@Suite struct PackagingTests {
  @Test(.timeLimit(.minutes(15)))
  func
    `there is a way in without Swift: packages, archive and images hold what they promise, byte for byte again`()
    async throws
  {
    try await judge("packages.py")
  }

  @Test(
    .enabled("making a machine takes root and namespaces") { try await canMakeMachines() },
    .timeLimit(.minutes(15))
  )
  func
    `on a fresh Debian without Swift, installed and started by systemd, the tutorial prints what it shows`()
    async throws
  {
    try await judge("packages_installed.py")
  }

  /// Packages the programs, or small stand-ins for them, and judges what comes.
  private func judge(_ script: String) async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Interoperability/\(script)")
    let programs = CommandLineTool.binary.deletingLastPathComponent().path(percentEncoded: false)
    let command = try RunningCommand(
      path: "/usr/bin/python3", arguments: [script.path(percentEncoded: false), programs],
      environment: ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 },
      input: "")
    let result = await command.finish()
    let failed = result.output.split(separator: "\n").filter { $0.hasPrefix("FAIL") }
    #expect(failed.isEmpty, "\(result.output)")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasSuffix("all checks passed\n"))
  }

  private static func canMakeMachines() async throws -> Bool {
    let spaces = ["--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup", "true"]
    return try await RunningCommand(path: "/usr/bin/unshare", arguments: spaces, environment: [:], input: "")
      .finish()
      .status == 0
  }
}
