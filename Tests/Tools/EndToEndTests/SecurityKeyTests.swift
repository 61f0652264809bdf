#if os(Linux)
  import CommonFixtures
  import Foundation
  import RuntimeLibraries
  import SoftwareTPM
  import StrictJSON
  import Testing

  /// `sealring passkey serve` on a terminal, with python-fido2 as the program that wants passkeys and a socket in the kernel's place.
  @Suite struct SecurityKeyTests {
    private static let pin = "739184"

    /// Starts a program that plays the kernel and then the scenarios, and the command that it waits for.
    private func withScene(
      _ scenario: String, options: [String] = ["--store", "software"], environment: [String: String] = [:],
      _ body: (TerminalCommand, _ folder: URL) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let repository = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let (socket, output) = (folder.appending(path: "uhid").path, folder.appending(path: "output"))
        let program = try SpawnedProgram(
          repository.appending(path: ".build/verifiers/bin/python").path,
          [repository.appending(path: "Tests/Interoperability/ctap_clients.py").path, scenario],
          environment: SpawnedProgram.environment(["CTAP_LISTEN": socket]), output: .file(output),
          errors: .output)
        try await eventually("the kernel's place is taken") { FileManager.default.fileExists(atPath: socket) }
        let tool = CommandLineTool(home: folder.appending(path: "device"), environment: environment)
        let command = try TerminalCommand(
          tool, ["passkey", "serve", "--uhid-socket", socket] + options, size: (100, 40))
        #expect(await command.read(until: "The security key is there.").contains("security key"))
        try await body(command, folder)
        let code = await program.end()
        #expect(code == 0, "\((try? String(contentsOf: output, encoding: .utf8)) ?? "")")
        // The kernel is gone, and says so.
        let end = await command.finish()
        #expect(end.status == 1 && end.shown.contains("took the security key away"), "\(end.shown)")
      }
    }

    @Test func `a program makes a passkey and signs in with it, and each time the person sees where`()
      async throws
    {
      try await withScene("one_account") { command, folder in
        let made = await command.read(until: "Make it? (y/n): ")
        #expect(
          made.contains("A program wants to make a passkey.") && made.contains("Site      example.com"),
          "\(made)")
        #expect(made.contains("ada (Ada)"), "\(made)")
        command.type("y\n")
        #expect(
          await command.read(until: "Sign in? (y/n): ").contains("A program wants to sign in with a passkey.")
        )
        command.type("y\n")
        _ = await command.read(until: "Signed for example.com")
        // A question about another site is answered with no, and nothing is signed.
        _ = await command.read(until: "Make it? (y/n): ")
        command.type("n\n")
        #expect(await command.read(until: "Refused.").contains("Refused."))
        #expect(
          FileManager.default.fileExists(atPath: folder.appending(path: "device/security-key/keys").path))
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "device/keys").path))
        // Other commands tell them apart from this program's own.
        let tool = CommandLineTool(home: folder.appending(path: "device"))
        #expect(try await tool.run(["passkey", "list", "--json"]).json.arrayValue == [])
        let served = try await tool.run(["passkey", "list", "--served", "--json"]).json.arrayValue
        #expect(served?.count == 1 && served?.first?["rpId"] == "example.com", "\(served ?? [])")
        #expect(served?.first?["store"] == "software" && served?.first?["discoverable"] == true)
        let id = try #require(served?.first?["credentialId"]?.stringValue)
        #expect(try await tool.run(["passkey", "delete", id, "--local", "--yes"]).status == 1)
        #expect(try await tool.run(["passkey", "delete", id, "--served", "--yes"]).status == 0)
        #expect(try await tool.run(["passkey", "list", "--served", "--json"]).json.arrayValue == [])
      }
    }

    @Test func `with a TPM the passkey and the PIN are in it, and the PIN is asked for here`() async throws {
      try await SoftwareTPM.run(certificates: false) { tpm in
        try await withScene("verified", options: ["--store", "tpm", "--tcti", tpm.tcti]) { command, folder in
          _ = await command.read(until: "Set the PIN that you have just entered there? (y/n): ")
          command.type("y\n")
          #expect(await command.read(until: "PIN (Return alone refuses): ").contains("example.com"))
          command.type("111111\n")
          #expect(await command.read(until: "PIN (Return alone refuses): ").contains("The PIN is wrong."))
          command.type(Self.pin + "\n")
          _ = await command.read(until: "Made passkey")
          _ = await command.read(until: "PIN (Return alone refuses): ")
          command.type(Self.pin + "\n")
          _ = await command.read(until: "Signed for example.com")
          let keys = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "device/security-key/keys").path)
          #expect(
            keys.count { $0.hasSuffix(".tpmkey") } == 2 && !keys.contains { $0.hasSuffix(".key") }, "\(keys)")
        }
      }
    }
  }
#endif
