import Foundation
import Testing

#if SEALRING_SANITIZER
  private let isSanitized = true
#else
  private let isSanitized = false
#endif

/// What `scripts/package` makes, judged by scripts. Release builds and the other kinds of fresh roots are `scripts/package --check`,
/// run by hand.
@Suite(.disabled(if: isSanitized, "programs with a sanitizer in them are not what is packed"))
struct PackagingTests {
  // Over a minute: packages, archive and images are made twice, and judged by Debian's own tools.
  @Test(.timeLimit(.minutes(15)))
  func
    `there is a way in without Swift: packages, archive and images hold what they promise, byte for byte again`()
    async throws
  {
    try await judge("packages.py")
  }

  // Over two minutes: a system is installed and booted, and the tutorial typed from its first to its last line.
  @Test(
    .enabled("making a machine takes root, all namespaces, control groups of version 2 and Debian's mirror") {
      try await canMakeMachines()
    },
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
    let spaces = ["--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup"]
    let mounting =
      "mount --make-rprivate / && mount -t tmpfs none /mnt && mkdir /mnt/cgroup && mount -t cgroup2 none /mnt/cgroup"
      + " && unshare --user true"
    let mirror = [
      "-sfo", "/dev/null", "--max-time", "30", "http://deb.debian.org/debian/dists/bookworm/Release",
    ]
    guard try await succeeds("/usr/bin/unshare", spaces + ["/bin/sh", "-c", mounting]) else { return false }
    return try await succeeds("/usr/bin/curl", mirror)
  }

  private static func succeeds(_ path: String, _ arguments: [String]) async throws -> Bool {
    let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    return try await RunningCommand(path: path, arguments: arguments, environment: environment, input: "")
      .finish().status == 0
  }
}
