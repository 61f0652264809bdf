import CommonFixtures
import Foundation
import SoftwareTPM
import StrictJSON
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `sealring key`, beside a server that runs.
@Suite("sealring key") struct KeyCommandTests {
  private func keys(_ setup: CommandSetup) async throws -> [JSONValue] {
    let listed = try await setup.tool.run(["key", "list", "--data", setup.data, "--json"])
    return try #require(try listed.json.arrayValue, "\(listed.errors)")
  }

  /// - Parameter amount: another one each time: within a second, the same text makes the same proof, which counts once.
  private func sign(_ setup: CommandSetup, _ amount: Int) async throws {
    let signed = try await setup.run(
      ["sign", "--text", "Pay \(amount) EUR", "--pin-stdin"], input: CommandSetup.pin + "\n")
    #expect(signed.status == 0, "\(signed.errors)")
  }

  @Test func `a key is rotated and retired while the server serves, and what it was is in the files`()
    async throws
  {
    try await CommandSetup.run { setup in
      try await setup.bind()
      try await sign(setup, 1)
      let first = try #require(try await keys(setup).first?["id"]?.stringValue)

      let announced = try await setup.tool.run([
        "key", "rotate", "--announce", "--data", setup.data, "--json",
      ])
      #expect(try announced.json["state"] == "announced", "\(announced.errors)")
      let rotated = try await setup.tool.run([
        "key", "rotate", "--wait", "300", "--data", setup.data, "--json",
      ])
      #expect(rotated.status == 0, "\(rotated.errors)")
      let second = try #require(try rotated.json["id"]?.stringValue)
      #expect(try announced.json["id"]?.stringValue == second)
      try await sign(setup, 2)

      let listed = try await keys(setup)
      #expect(listed.map { $0["state"] } == ["accepted", "active"])
      #expect(listed[0]["secrets"] == 0 && (listed[1]["secrets"]?.integerValue ?? 0) > 0)
      #expect(listed.allSatisfy { $0["servers"]?.arrayValue?.count == 1 })
      #expect(listed[1]["place"]?.stringValue?.hasSuffix("server-\(second).key") == true)

      let refused = try await setup.tool.run(["key", "retire", second, "--data", setup.data])
      #expect(refused.status == 1 && refused.errors.contains("in use"))
      let retired = try await setup.tool.run(["key", "retire", first, "--data", setup.data])
      #expect(retired.status == 0, "\(retired.errors)")
      try await sign(setup, 3)

      // Killed, and started without the old key.
      await setup.server.kill()
      try FileManager.default.removeItem(atPath: setup.data + "/server.key")
      let again = try await ServerProcess.start(data: URL(filePath: setup.data), port: setup.server.port)
      try await sign(setup, 4)
      let exported = try await setup.tool.run(
        ["audit", "export", "--data", setup.data, "--json", setup.folder.appending(path: "ledger").path])
      #expect(exported.status == 0, "\(exported.errors)")
      _ = await again.stop()
    }
  }

  @Test func `a key from the environment is not handed on, and rubbish there is not shown`() async throws {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "server")
      let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
      let tool = CommandLineTool(
        home: folder.appending(path: "home"),
        environment: [
          "SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword, "SEALRING_SERVER_KEY": key,
        ])
      let source = "env:SEALRING_SERVER_KEY"
      let path = data.path(percentEncoded: false)
      let server = try tool.start(["serve", "--port", "0", "--data", path, "--server-key", source])
      #expect(await server.line(startingWith: "listening on ") != nil)
      #if os(Linux)
        let environment = try Data(contentsOf: URL(filePath: "/proc/\(server.identifier)/environ"))
        #expect(environment.range(of: Data(key.utf8)) == nil)
      #endif
      #expect(!FileManager.default.fileExists(atPath: path + "/server.key"))
      let listed = try await tool.run(["key", "list", "--data", path, "--server-key", source, "--json"])
      #expect(try listed.json.arrayValue?.first?["state"] == "active", "\(listed.errors)")
      server.send(SIGTERM)
      _ = await server.finish()

      let wrong = CommandLineTool(
        home: folder.appending(path: "home"), environment: ["SEALRING_SERVER_KEY": "rubbish-" + key])
      let refused = try await wrong.run(["serve", "--port", "0", "--data", path, "--server-key", source])
      #expect(refused.status == 1 && refused.errors.contains("SEALRING_SERVER_KEY"))
      #expect(!refused.errors.contains(key))
      let other = CommandLineTool(
        home: folder.appending(path: "home"),
        environment: ["SEALRING_SERVER_KEY": Data(repeating: 7, count: 32).base64EncodedString()])
      let stranger = try await other.run(["serve", "--port", "0", "--data", path, "--server-key", source])
      #expect(stranger.status == 1 && stranger.errors.contains("cannot be decrypted"))
    }
  }

  #if os(Linux)
    @Test func `a key that systemd encrypted under a TPM is a credential, and the server uses it`()
      async throws
    {
      try await SoftwareTPM.run { tpm in
        try await withTemporaryFolder { folder in
          let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
          let plain = folder.appending(path: "plain").path(percentEncoded: false)
          try Data(key.utf8).write(to: URL(filePath: plain))
          // What systemd does for LoadCredentialEncrypted=.
          let credentials = folder.appending(path: "credentials")
          try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
          let encrypted = folder.appending(path: "server-key.cred").path(percentEncoded: false)
          let credential = credentials.appending(path: "server-key").path(percentEncoded: false)
          for arguments in [
            ["encrypt", "--with-key=tpm2", plain, encrypted], ["decrypt", encrypted, credential],
          ] {
            let program = try SpawnedProgram(
              "systemd-creds",
              [arguments[0], "--name=server-key", "--tpm2-device=\(tpm.tcti)"] + arguments.dropFirst(),
              environment: SpawnedProgram.environment([:]), output: .file(folder.appending(path: "log")),
              errors: .output)
            let log = { try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8) }
            #expect(await program.end() == 0, "\(log() ?? "")")
          }
          let stored = try Data(contentsOf: URL(filePath: encrypted))
          #expect(stored.range(of: Data(key.utf8)) == nil)

          let data = folder.appending(path: "server").path(percentEncoded: false)
          let tool = CommandLineTool(
            home: folder.appending(path: "home"),
            environment: [
              "SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword,
              "CREDENTIALS_DIRECTORY": credentials.path(percentEncoded: false),
            ])
          let source = "credential:server-key"
          let server = try tool.start(["serve", "--port", "0", "--data", data, "--server-key", source])
          #expect(await server.line(startingWith: "listening on ") != nil)
          server.send(SIGTERM)
          #expect(await server.finish().status == 0)
          let listed = try await tool.run(["key", "list", "--data", data, "--server-key", source, "--json"])
          #expect(try listed.json.arrayValue?.first?["state"] == "active", "\(listed.errors)")
        }
      }
    }
  #endif
}
