import CommonFixtures
import Foundation
import SealringTesting
import Testing

/// Authenticators from PyPI that share no code with Sealring.
@Suite struct WebAuthnInteroperabilityTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Made by `scripts/bootstrap --test`.
  static let python = package.appending(path: ".build/test-python/bin/python").path(percentEncoded: false)

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: python),
      "scripts/bootstrap --test installs soft-webauthn and fido2 from PyPI"), .timeLimit(.minutes(5)))
  func `soft-webauthn and fido2 register and sign in, and are refused what they must not do`() async throws {
    try await withTemporaryFolder { folder in
      try await TestServer.run(journeys: TouchSignIn.folder(in: folder)) { server in
        let script = Self.package.appending(path: "Tests/Interoperability/webauthn_over_http.py")
        let command = try RunningCommand(
          path: Self.python, arguments: [script.path(percentEncoded: false), server.address],
          environment: [
            "SEALRING_ADMIN_PASSWORD": TestServer.administratorPassword, "PYTHONDONTWRITEBYTECODE": "1",
          ], input: "")
        let result = await command.finish()
        #expect(result.output.split(separator: "\n").filter { $0.hasPrefix("FAIL") }.isEmpty)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasSuffix("all checks passed\n"))
      }
    }
  }
}
