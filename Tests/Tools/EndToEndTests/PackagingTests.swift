import Foundation
import Testing

/// What `scripts/package` makes, judged by a script from stand-ins for the programs and the real programs' help. Installing the
/// real ones into fresh roots is `scripts/package --check`, run by hand.
@Suite struct PackagingTests {
  @Test(.timeLimit(.minutes(15)))
  func
    `there is a way in without Swift: packages, archive and images hold what they promise, byte for byte again`()
    async throws
  {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Interoperability/packages.py")
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
}
