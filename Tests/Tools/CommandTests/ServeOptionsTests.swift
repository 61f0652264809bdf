import ArgumentParser
import Bytes
import CommonFixtures
import Crypto
import Foundation
import JourneyNodes
import PushServiceFixtures
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

  @Test(arguments: [("2026-11-01", true), ("2999-01-01", false)])
  func `FIDO's metadata that have a newer blob are named, with the advice to get it`(
    nextUpdate: String, isOutdated: Bool
  ) async throws {
    try await withTemporaryFolder { folder in
      let certificates = try TestCertificates(of: ["mds.fidoalliance.org"])
      let leaf = try #require(certificates.chainPEM.split(separator: "-----").dropFirst().first)
      let header = #"{"alg":"ES256","x5c":["\#(leaf.filter { !$0.isNewline })"]}"#
      let payload = #"{"no":1,"nextUpdate":"\#(nextUpdate)","entries":[]}"#
      let input = [header, payload].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
      let signature = try P256.Signing.PrivateKey(pemRepresentation: certificates.keyPEM)
        .signature(for: Data(input.utf8))
      let (blob, roots) = (folder.appending(path: "blob.jwt").path, folder.appending(path: "fido.pem").path)
      try "\(input).\(Base64URL.encode(Array(signature.rawRepresentation)))".write(
        toFile: blob, atomically: true, encoding: .utf8)
      try certificates.authorityPEM.write(toFile: roots, atomically: true, encoding: .utf8)
      let journey = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../journeys/WebAuthnRegister.journey.json").standardizedFileURL
      let result = try await CommandLineTool(home: folder).run([
        "journey", "check", journey.path, "--webauthn-metadata", blob, "--webauthn-metadata-roots", roots,
      ])
      #expect(result.status == 0, "\(result.errors)")
      let advice = "Advice: the FIDO metadata in \(blob) are from before \(nextUpdate)"
      #expect(result.errors.contains(advice) == isOutdated, "\(result.errors)")
    }
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
