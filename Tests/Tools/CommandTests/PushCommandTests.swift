import CommonFixtures
import Foundation
import Testing

/// `sealring push` without a server.
@Suite struct PushCommandTests {
  @Test(arguments: [
    ["push", "enroll"], ["push", "enroll", "pushauth://x", "--scan", "x.png"],
    ["push", "listen", "--approve", "--deny"], ["push", "approve"],
    ["push", "approve", "x", "--code", "12a456"],
    ["push", "approve", "x", "--number", "7", "--code", "123456"], ["push", "qr"],
    ["push", "qr", "pushauth://x", "--username", "mira"], ["demo", "--push", "--store", "tpm"],
  ])
  func `wrong usage exits with 64`(arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      let refused = try await CommandLineTool(home: folder).run(arguments)
      #expect(refused.status == 64, "\(refused.errors)")
    }
  }

  @Test func `what is none for push is refused with what to do`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      for uri in ["https://example.com", "pushauth://push/a:b?key=ABC", "\n"] {
        let refused = try await tool.run(["push", "enroll", "-"], input: uri + "\n")
        #expect(refused.status == 1 && refused.errors.hasPrefix("Error: "), "\(refused.errors)")
      }
      let listening = try await tool.run(["push", "listen"])
      #expect(listening.status == 1 && listening.errors.contains("push enroll"), "\(listening.errors)")
    }
  }
}
