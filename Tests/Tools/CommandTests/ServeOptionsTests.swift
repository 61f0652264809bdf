import ArgumentParser
import CommonFixtures
import Foundation
import JourneyNodes
import ServerCommand
import Testing

/// Options with which `sealring serve` does not begin. A server that begins takes over its process: those tests are end-to-end.
@Suite(.timeLimit(.minutes(2))) struct ServeOptionsTests {
  private func serve(_ arguments: [String], in folder: URL) async throws -> CommandResult {
    let data = folder.appending(path: "server").path(percentEncoded: false)
    return try await CommandLineTool(home: folder).run(["serve", "--port", "0", "--data", data] + arguments)
  }

  @Test(arguments: [
    ["--tls-key", "key.pem"], ["--tls-certificate", "chain.pem"], ["--trusted-proxy", "proxy.example.com"],
    ["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "0.0.0.0/0"], ["--trusted-proxy", "10.0.0.1/8"],
  ])
  func `options that make no sense exit 64`(_ options: [String]) async throws {
    try await withTemporaryFolder { folder in
      let result = try await serve(options, in: folder)
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errors.contains(/Error: --(tls|trusted)-/), "\(result.errors)")
    }
  }

  @Test(arguments: [
    ["--apns-key", "AuthKey.p8"], ["--apns-key-id", "ABC1234567"], ["--apns-sandbox"],
    ["--apns-key", "AuthKey.p8", "--apns-key-id", "ABC1234567", "--apns-topic", "com.example.signer"],
    ["--webpush-key", "vapid.pem"], ["--webpush-contact", "mailto:push@example.com"],
    ["--webpush-allow-private"],
    ["--webpush-allow-loopback-http"],
  ])
  func `options that need each other exit 64 alone, and name what is missing`(_ arguments: [String])
    async throws
  {
    try await withTemporaryFolder { folder in
      let result = try await serve(arguments, in: folder)
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errors.contains(/Error: .*(need|must be given together)/), "\(result.errors)")
      #expect(result.errors.contains(/Error: .*--(apns|webpush)-/))
    }
  }

  @Test(arguments: ["openam", "/", "/openam/", "/a/../b", "/health", "/a b", "https://id.example.com/openam"])
  func `a server does not start at what is no path`(path: String) async throws {
    try await withTemporaryFolder { folder in
      let result = try await serve(["--base-path=\(path)"], in: folder)
      #expect(result.status == 64 && result.errors.contains("--base-path"), "\(result.errors)")
    }
  }

  @Test(arguments: [([], false), (["--webauthn-tpm-sha1"], true)])
  func `a TPM's statement may be signed with SHA-1 only where the server is told so`(
    arguments: [String], isAccepted: Bool
  ) async throws {
    let trust = try await WebAuthnTrustOptions.parse(arguments).trust(revokedCertificates: nil)
    #expect(trust.acceptsTPMSHA1 == isAccepted)
  }

  @Test(arguments: ["risk=low", "protect=great", "protect", "captcha="])
  func `an outcome of a service that there is not exits 64`(choice: String) async throws {
    try await withTemporaryFolder { folder in
      let result = try await serve(["--simulate", choice], in: folder)
      #expect(result.status == 64 && result.errors.contains("Error: --simulate: "), "\(result.errors)")
      let run = try await CommandLineTool(home: folder).run([
        "journey", "run", "Login", "--simulate", "protect=low",
      ])
      #expect(run.status == 64 && run.errors.contains("--simulate needs --journeys"), "\(run.errors)")
    }
  }

  @Test(arguments: ["5", "0d", "-1d", "+5d", "4.5d", "1h", "36501d", "d"])
  func `a server does not start with a retention that is not a number of days`(days: String) async throws {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "server").path(percentEncoded: false)
      let result = try await serve(["--ledger-retain=\(days)"], in: folder)
      #expect(result.status == 64 && result.errors.contains("--ledger-retain"), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: data))
    }
  }
}
