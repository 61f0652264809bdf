import CommonFixtures
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import PushServiceFixtures
import StrictJSON
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `sealring serve` on the network: TLS, proxies, the cookie.
@Suite(.timeLimit(.minutes(2))) struct NetworkOptionsTests {
  private func serve(_ arguments: [String], in folder: URL) async throws -> CommandLineTool.Result {
    let data = folder.appending(path: "server").path(percentEncoded: false)
    return try await CommandLineTool(home: folder).run(["serve", "--port", "0", "--data", data] + arguments)
  }

  private static func write(_ certificates: TestCertificates, to folder: URL) throws -> [String] {
    let (chain, key) = (folder.appending(path: "chain.pem"), folder.appending(path: "key.pem"))
    try Data(certificates.chainPEM.utf8).write(to: chain)
    try Data(certificates.keyPEM.utf8).write(to: key)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
    return ["--tls-certificate", chain.path, "--tls-key", key.path]
  }

  /// Runs `body` with what a client that trusts only `certificates`' authority gets, again and again on the same connection.
  private static func withClient(
    trusting certificates: TestCertificates, of port: Substring,
    _ body: (_ status: () async throws -> HTTPResponseStatus) async throws -> Void
  ) async throws {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = certificates.trust
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      try await body {
        let request = HTTPClientRequest(url: "https://localhost:\(port)/health")
        let response = try await client.execute(request, timeout: .seconds(20))
        _ = try await response.body.collect(upTo: 1 << 16)
        return response.status
      }
    } catch {
      try await client.shutdown()
      throw error
    }
    try await client.shutdown()
  }

  @Test
  func `the server speaks TLS, takes a new certificate on SIGHUP, keeps its connections, and ends with 0`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let (old, new) = (try TestCertificates(), try TestCertificates())
      let options = try Self.write(old, to: folder)
      let tool = CommandLineTool(
        home: folder, environment: ["SEALRING_ADMIN_PASSWORD": "correct horse battery"])
      let command = try tool.start(
        ["serve", "--port", "0", "--data", folder.appending(path: "server").path] + options)
      let line = try #require(await command.line(startingWith: "listening on "))
      let port = try #require(line.wholeMatch(of: /listening on https:\/\/127\.0\.0\.1:(\d+)\/am/)?.output.1)
      try await Self.withClient(trusting: old, of: port) { first in
        let before = try await first()
        #expect(before == .ok)
        try await Self.withClient(trusting: new, of: port) { second in
          await #expect(throws: (any Error).self) { try await second() }
          _ = try Self.write(new, to: folder)
          command.send(SIGHUP)
          #expect(await command.remark(/reloaded/) != nil)
          let after = try await second()
          #expect(after == .ok)
        }
        // It trusts the old certificate only, so this is the connection from before.
        let kept = try await first()
        #expect(kept == .ok)
      }

      try Data("no certificate".utf8).write(to: folder.appending(path: "chain.pem"))
      command.send(SIGHUP)
      #expect(await command.remark(/the previous one stays in use/) != nil)
      try await Self.withClient(trusting: new, of: port) { third in
        let still = try await third()
        #expect(still == .ok)
      }

      command.send(SIGTERM)
      let result = await command.finish()
      #expect(result.status == 0)
      #expect(result.output == "\(line)\n")
    }
  }

  @Test func `plain HTTP beyond this machine is refused with a sentence that says what to do`() async throws {
    try await withTemporaryFolder { folder in
      let result = try await serve(["--host", "0.0.0.0"], in: folder)
      #expect(result.status == 1 && result.output.isEmpty)
      for option in ["--tls-certificate", "--trusted-proxy", "--insecure-http"] {
        #expect(result.errors.contains(option), "\(result.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "server").path))
    }
  }

  @Test(arguments: [
    ["--host", "0.0.0.0", "--insecure-http"], ["--public-url", "https://id.example.com/am"],
    ["--trusted-proxy", "127.0.0.1"], ["--realm-url", "alpha=https://alpha.example.com/am"],
    ["--public-url", "https://id.example.com/am", "--factor-changes", "alpha=strong"],
  ])
  func `a server that others can reach is told what changes of factors need, or does not start`(
    options: [String]
  ) async throws {
    try await withTemporaryFolder { folder in
      let result = try await serve(options, in: folder)
      #expect(result.status == 1 && result.output.isEmpty)
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == 4, "\(result.errors)")
      #expect(lines.first?.contains("Others can reach this server") == true)
      #expect(lines.last?.hasPrefix("--factor-changes any: ") == true)
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "server").path))
    }
  }

  @Test func `a server says where it stands, and commands find it there`() async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(
        data: folder.appending(path: "server"),
        arguments: ["--base-path", "/sso/openam", "--cookie-name", "8f2c3b1d9e0a7f6"])
      #expect(server.address == "http://127.0.0.1:\(server.port)/sso/openam")
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      let created = try await tool.run(["realm", "create", "alpha/branch", "--server", server.address])
      #expect(created.status == 0, "\(created.errors)")
      let listed = try await tool.run(
        ["user", "list", "--json", "--server", server.address, "--realm", "alpha/branch"])
      #expect(try listed.json == [], "\(listed.errors)")
      let elsewhere = try await tool.run(
        ["user", "list", "--server", "http://127.0.0.1:\(server.port)/am", "--json"])
      #expect(elsewhere.status == 1, "\(elsewhere.output)")
      #expect(await server.stop().status == 0)
    }
  }

  @Test func `a certificate that cannot be used and a cookie that nobody would keep are errors`() async throws
  {
    try await withTemporaryFolder { folder in
      var options = try Self.write(try TestCertificates(), to: folder)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: options[3])
      let readable = try await serve(options, in: folder)
      #expect(readable.status == 1 && readable.errors.contains("chmod o= "), "\(readable.errors)")
      options[1] = folder.appending(path: "missing.pem").path
      let missing = try await serve(options, in: folder)
      #expect(missing.status == 1 && missing.errors.contains("missing.pem"), "\(missing.errors)")
      let cookie = try await serve(["--cookie-name", "__Host-id"], in: folder)
      #expect(cookie.status == 1 && cookie.errors.contains("by https only"), "\(cookie.errors)")
    }
  }
}
