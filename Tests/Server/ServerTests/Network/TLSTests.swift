import AsyncHTTPClient
import CommonFixtures
import Concurrency
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOSSL
import NIOTLS
import PushServiceFixtures
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("TLS in the server", .timeLimit(.minutes(2)))
struct TLSTests {
  @Test func `HTTP/2 is spoken with clients that know it, HTTP/1.1 with others`() async throws {
    let certificates = try TestCertificates()
    try await SecureServer.run(certificates) { server in
      let modern = try await server.get("/am/json/serverinfo/*", trusting: certificates)
      #expect(modern.status == .ok)
      #expect(modern.version == .http2)
      let older = try await server.get("/am/XUI/", trusting: certificates) { $0.httpVersion = .http1Only }
      #expect(older.status == .ok)
      #expect(older.version == .http1_1)
    }
  }

  @Test(
    arguments: [
      (.tlsv13, nil, true), (.tlsv12, nil, true), (.tlsv12, "ECDHE-ECDSA-AES128-GCM-SHA256", true),
      (.tlsv12, "ECDHE-ECDSA-CHACHA20-POLY1305", true), (.tlsv12, "ECDHE-ECDSA-AES128-SHA", false),
      (.tlsv12, "AES128-GCM-SHA256", false), (.tlsv11, nil, false), (.tlsv1, nil, false),
    ] as [(TLSVersion, String?, Bool)])
  func
    `TLS 1.2 and 1.3 are spoken, older versions and ciphers without forward secrecy or authentication are not`(
      _ version: TLSVersion, _ ciphers: String?, _ isSpoken: Bool
    ) async throws
  {
    let certificates = try TestCertificates()
    try await SecureServer.run(certificates) { server in
      let status = try? await server.get(trusting: certificates) {
        $0.tlsConfiguration?.minimumTLSVersion = .tlsv1
        $0.tlsConfiguration?.maximumTLSVersion = version
        if let ciphers { $0.tlsConfiguration?.cipherSuites = ciphers }
      }.status
      #expect(status == (isSpoken ? .ok : nil))
      // The refusal was the version's, not the server's end.
      let healthy = try await server.get(trusting: certificates)
      #expect(healthy.status == .ok)
    }
  }

  @Test func `plain HTTP on the port of TLS is answered by nothing, and harms nobody`() async throws {
    let certificates = try TestCertificates()
    try await SecureServer.run(certificates) { server in
      await #expect(throws: (any Error).self) {
        try await HTTPClient.run(trusting: certificates, { $0.httpVersion = .http1Only }) { client in
          try await client.execute(
            HTTPClientRequest(url: "http://localhost:\(server.port)/health"), timeout: .seconds(20)
          ).status
        }
      }
      let healthy = try await server.get(trusting: certificates)
      #expect(healthy.status == .ok)
    }
  }

  @Test
  func
    `a request that began before the certificate changed ends on its connection; new connections get the new one`()
    async throws
  {
    let (old, new) = (try TestCertificates(), try TestCertificates())
    for version in [HTTPClient.Configuration.HTTPVersion.http1Only, .automatic] {
      try await SecureServer.run(old) { server in
        try await HTTPClient.run(trusting: old, { $0.httpVersion = version }) { client in
          try await Self.reload(new, during: client, of: server, old: old)
        }
        #expect(server.lines.contains { $0.contains("reloaded") })
      }
    }
  }

  private static func reload(
    _ new: TestCertificates, during client: HTTPClient, of server: SecureServer, old: TestCertificates
  ) async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ready, resume) = AsyncStream.makeStream(of: Void.self)
    // An expectation that fails must not leave the request waiting.
    defer { resume.finish() }
    let body = HalfThenRest(begun: { begin.finish() }, ready: ready)
    let url = "https://localhost:\(server.port)\(LocalServer.alpha)/authenticate"
    async let answer = {
      var request = HTTPClientRequest(url: url)
      request.method = .POST
      request.headers = ["Content-Type": "application/json"]
      request.body = .stream(body, length: .known(Int64(2)))
      return try await client.execute(request, timeout: .seconds(20))
    }()
    for await _ in begun {}
    try server.files.write(new)
    try server.certificate.reload()
    let fresh = try? await server.get(trusting: new).status
    #expect(fresh == .ok)
    await #expect(throws: (any Error).self) { try await server.get(trusting: old) }
    resume.finish()
    let finished = try await answer
    #expect(finished.status == .ok)
    // The next one on the old connection, too.
    let next = try await client.get("/health", port: server.port)
    #expect(next.status == .ok)
  }

  /// The answer had a field that HTTP/2 forbids: none was sent, and the whole connection closed, with everybody else's requests on it.
  @Test func `over HTTP/2 a late body is answered, and ends no other request of its connection`() async throws
  {
    let certificates = try TestCertificates()
    try await SecureServer.run(certificates, { $0.limits.bodyTime = 1 }) { server in
      try await HTTPClient.run(trusting: certificates, { $0.httpVersion = .automatic }) { client in
        let (ready, resume) = AsyncStream.makeStream(of: Void.self)
        defer { resume.finish() }
        var request = HTTPClientRequest(
          url: "https://localhost:\(server.port)\(LocalServer.alpha)/authenticate")
        request.method = .POST
        request.headers = ["Content-Type": "application/json"]
        request.body = .stream(HalfThenRest(begun: {}, ready: ready), length: .known(Int64(2)))
        let late = try await client.execute(request, timeout: .seconds(20))
        #expect(late.status == .requestTimeout && late.version == .http2)
        #expect(try await client.get("/health", port: server.port).status == .ok)
        #expect(!server.lines.contains { $0.contains("ForbiddenHeaderField") })
      }
    }
  }

  @Test(arguments: ["foreign key", "no key", "no certificate", "missing", "readable by all"])
  func `what cannot be used is logged and changes nothing`(_ fault: String) async throws {
    let (good, other) = (try TestCertificates(), try TestCertificates())
    try await SecureServer.run(good) { server in
      switch fault {
      case "foreign key": try server.files.writeKey(of: other)
      case "no key": try Data("no key".utf8).write(to: server.files.key)
      case "no certificate": try Data().write(to: server.files.certificate)
      case "missing": try FileManager.default.removeItem(at: server.files.certificate)
      default: try server.files.writeKey(of: good, mode: 0o644)
      }
      try server.certificate.reload()
      #expect(try await server.get(trusting: good).status == .ok)
      let line = try #require(server.lines.first { $0.hasPrefix("error") })
      #expect(line.contains("the previous one stays in use"))
      #expect(!line.contains("PRIVATE"))
      try server.files.write(other)
      try server.certificate.reload()
      #expect(try await server.get(trusting: other).status == .ok)
    }
  }

  @Test func `changed files are loaded once both are written, and a bad pair is tried once`() async throws {
    let (old, new) = (try TestCertificates(), try TestCertificates())
    let folder = try TemporaryFolder.make()
    let files = try SecureServer.write(old, to: folder)
    let log = Locked<[String]>([])
    let certificate = try ServerCertificate(
      files, clock: { Date() }, logger: LocalServer.configuration(log: log).logger)
    func look() -> Int {
      certificate.reloadIfChanged()
      return certificate.current.version
    }
    #expect(look() == 1 && look() == 1)
    try Data(new.chainPEM.utf8).write(to: files.certificate)
    #expect(look() == 1)
    try files.writeKey(of: new)
    #expect(look() == 1)
    #expect(look() == 2)
    #expect(look() == 2 && look() == 2)
    #expect(log.withLock { $0 }.filter { $0.hasPrefix("error") }.isEmpty)
    try files.writeKey(of: old)
    for _ in 1...5 { #expect(look() == 2) }
    #expect(log.withLock { $0 }.filter { $0.hasPrefix("error") }.count == 1)
    try files.writeKey(of: new)
    #expect(look() == 2 && look() == 3)
  }

  @Test func `the files are looked at again and again until the server ends`() async throws {
    let (old, new) = (try TestCertificates(), try TestCertificates())
    let folder = try TemporaryFolder.make()
    let files = try SecureServer.write(old, to: folder)
    let certificate = try ServerCertificate(
      files, clock: { Date() }, logger: LocalServer.configuration().logger)
    try files.write(new)
    let looks = Locked(0)
    let renewal = CertificateRenewal(certificate: certificate, signals: []) {
      guard
        looks.withLock({
          $0 += 1
          return $0 <= 2
        })
      else { throw CancellationError() }
    }
    try await renewal.run()
    #expect(certificate.current.version == 2)
  }

  @Test func `an expired certificate is said at once`() throws {
    let folder = try TemporaryFolder.make()
    let files = try SecureServer.write(try TestCertificates(), to: folder)
    let log = Locked<[String]>([])
    _ = try ServerCertificate(
      files, clock: { Date(timeIntervalSinceNow: 10 * 86_400) },
      logger: LocalServer.configuration(log: log).logger)
    #expect(log.withLock { $0 }.contains { $0.hasPrefix("warning") && $0.contains("expired") })
  }

  @Test func `a server does not start with a key that others can read, or that is not the certificate's`()
    async throws
  {
    let (good, other) = (try TestCertificates(), try TestCertificates())
    let folder = try TemporaryFolder.make()
    var configuration = LocalServer.configuration()
    configuration.tls = try SecureServer.write(good, to: folder)
    for (mode, said) in [(0o604, "chmod o= "), (0o602, "chmod o= "), (0o640, nil), (0o400, nil)]
      as [(Int, String?)]
    {
      try FileManager.default.removeItem(at: folder.url.appending(path: "key.pem"))
      try configuration.tls?.writeKey(of: good, mode: mode)
      do {
        try await SealringServer.make(configuration).close()
        #expect(said == nil, "\(mode)")
      } catch let error as ServerSetupError {
        #expect(error.description.contains(said ?? "?"), "\(error)")
      }
    }
    try FileManager.default.removeItem(at: folder.url.appending(path: "key.pem"))
    try configuration.tls?.writeKey(of: other)
    let error = await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
    #expect(error?.description.contains("does not belong to the first certificate") == true)
  }

  @Test func `a connection that never finishes its handshake is closed in time, and at the server's end`()
    throws
  {
    for ends in [true, false] {
      let channel = EmbeddedChannel(handler: HandshakeDeadline(.seconds(10)))
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      channel.embeddedEventLoop.advanceTime(by: .seconds(9))
      #expect(channel.isActive)
      if ends {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      } else {
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      }
      #expect(!channel.isActive)
    }
  }

  @Test func `a connection whose handshake is done has no such deadline`() throws {
    let channel = EmbeddedChannel(handler: HandshakeDeadline(.seconds(10)))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: "h2"))
    channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    #expect(channel.isActive)
    #expect(throws: (any Error).self) {
      try channel.pipeline.syncOperations.handler(type: HandshakeDeadline.self)
    }
    _ = try channel.finish()
  }
}

/// `{`, then `}` once `ready` ends.
private struct HalfThenRest: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let begun: @Sendable () -> Void
  let ready: AsyncStream<Void>

  struct AsyncIterator: AsyncIteratorProtocol {
    let parts: HalfThenRest
    var count = 0

    mutating func next() async -> ByteBuffer? {
      count += 1
      switch count {
      case 1: return ByteBuffer(string: "{")
      case 2:
        // The first half has been taken, over a connection that is there.
        parts.begun()
        for await _ in parts.ready {}
        return ByteBuffer(string: "}")
      default: return nil
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: self) }
}
