import AsyncHTTPClient
import CommonFixtures
import Concurrency
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import PushServiceFixtures
import Testing

@testable import Assembly
@testable import ServerHTTP

/// A server that speaks TLS on a free port, with its certificate in files.
struct SecureServer: Sendable {
  let server: SealringServer
  let port: Int
  let files: TLSFiles
  let log: Locked<[String]>

  /// The server's certificate, to load it again.
  var certificate: ServerCertificate { get throws { try #require(server.certificate) } }

  static func run(
    _ certificates: TestCertificates, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (SecureServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder.make()
    let log = Locked<[String]>([])
    let files = try write(certificates, to: folder)
    var configuration = LocalServer.configuration(log: log)
    configuration.tls = files
    configure(&configuration)
    let server = try await SealringServer.make(configuration)
    try await withThrowingTaskGroup { group in
      let (ports, listening) = AsyncStream.makeStream(of: Int.self)
      group.addTask {
        defer { listening.finish() }
        try await server.run { listening.yield($0) }
      }
      for await port in ports {
        try await body(SecureServer(server: server, port: port, files: files, log: log))
        break
      }
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  @discardableResult
  static func write(_ certificates: TestCertificates, to folder: TemporaryFolder) throws -> TLSFiles {
    let files = TLSFiles(
      certificate: folder.url.appending(path: "chain.pem"), key: folder.url.appending(path: "key.pem"))
    try files.write(certificates)
    return files
  }

  /// Sends a request as a client that trusts only `certificates`' authority and keeps no connection.
  func get(
    _ path: String = "/health", trusting certificates: TestCertificates,
    _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) async throws -> HTTPClientResponse {
    try await HTTPClient.run(trusting: certificates, configure) { client in
      let response = try await client.get(path, port: port)
      _ = try await response.body.collect(upTo: 1 << 20)
      return response
    }
  }

  var lines: [String] { log.withLock { $0 } }
}

extension TLSFiles {
  func write(_ certificates: TestCertificates) throws {
    try Data(certificates.chainPEM.utf8).write(to: certificate)
    try writeKey(of: certificates)
  }

  func writeKey(of certificates: TestCertificates, mode: Int = 0o600) throws {
    try Data(certificates.keyPEM.utf8).write(to: key)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key.path)
  }
}

extension HTTPClient {
  /// Runs `body` with a client that trusts only `certificates`' authority.
  static func run<Value: Sendable>(
    trusting certificates: TestCertificates, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in },
    _ body: (HTTPClient) async throws -> Value
  ) async throws -> Value {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = certificates.trust
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.connectionPool.retryConnectionEstablishment = false
    configure(&configuration)
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let value: Value
    do { value = try await body(client) } catch {
      try await client.shutdown()
      throw error
    }
    try await client.shutdown()
    return value
  }

  func get(_ path: String, port: Int) async throws -> HTTPClientResponse {
    try await execute(HTTPClientRequest(url: "https://localhost:\(port)\(path)"), timeout: .seconds(20))
  }
}
