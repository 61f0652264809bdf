import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOPosix
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

/// A connection that speaks bytes.
struct RawConnection: Sendable {
  let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

  static func open(to server: LocalServer) async throws -> RawConnection {
    let port = try #require(server.client.port)
    return RawConnection(
      channel: try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        })
  }

  /// Sends `text`, and reads until the server closes.
  func closing(after text: String) async throws -> String {
    try await channel.executeThenClose { inbound, outbound in
      var answer = ""
      do {
        if !text.isEmpty { try await outbound.write(ByteBuffer(string: text)) }
        for try await buffer in inbound { answer += String(buffer: buffer) }
      } catch is IOError {}
      return answer
    }
  }
}

extension LocalServer {
  /// Runs the server on a socket.
  fileprivate static func runLive(
    _ change: @escaping (inout ServerLimits) -> Void, body: @Sendable (LocalServer) async throws -> Void
  ) async throws {
    try await run(
      .live,
      {
        $0.host = "127.0.0.1"
        change(&$0.limits)
      }, body: body)
  }

  /// What somebody who means well gets meanwhile.
  fileprivate func signsIn() async throws -> Bool { try await !signIn("ada").isEmpty }
}

@Suite("Attacks on connections, by socket") struct HostileConnectionsTests {
  private static let head =
    "POST \(LocalServer.alpha)/authenticate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

  @Test func `a head that does not end is closed without an answer`() async throws {
    try await LocalServer.runLive({ $0.headTime = 2 }) { server in
      let attack = Task { try await RawConnection.open(to: server).closing(after: Self.head) }
      let isSignedIn = try await server.signsIn()
      let answer = try await attack.value
      #expect(isSignedIn && answer == "")
    }
  }

  @Test func `a body that does not end is 408`() async throws {
    try await LocalServer.runLive({ $0.bodyTime = 2 }) { server in
      let attack = Task {
        try await RawConnection.open(to: server).closing(
          after: Self.head + "Content-Length: 100\r\n\r\n{")
      }
      let isSignedIn = try await server.signsIn()
      let text = try await attack.value
      #expect(isSignedIn && text.hasPrefix("HTTP/1.1 408 ") && text.hasSuffix("}"))
    }
  }

  @Test(arguments: [(101, 1), (1, 20_000), (5, 8000)])
  func `too many or too large header fields are 431`(count: Int, size: Int) async throws {
    try await LocalServer.runLive({ _ in }) { server in
      let fields = (0..<count).map { "X-\($0): \(String(repeating: "x", count: size))\r\n" }.joined()
      let answer = try await RawConnection.open(to: server).closing(after: Self.head + fields + "\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 431 "))
      #expect(try await server.signsIn())
    }
  }

  @Test func `2,000 idle connections beyond what the server takes keep nobody out`() async throws {
    try await LocalServer.runLive({ $0.connections = 64 }) { server in
      var idle: [RawConnection] = []
      for _ in 0..<2064 { idle.append(try await RawConnection.open(to: server)) }
      // On a new connection: the one that was open before the attack has waited longest, and is closed.
      let answer = try await RawConnection.open(to: server).closing(
        after: Self.head
          + "X-OpenAM-Username: ada\r\nX-OpenAM-Password: ada-password\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
      )
      #expect(answer.contains("tokenId"))
      // The first has gone long ago.
      #expect(try await idle[0].closing(after: "") == "")
      #expect(server.log.withLock { $0.filter { $0.contains("too many connections") }.count } == 1)
      // Most have been closed by the server.
      for connection in idle.dropFirst() { try? await connection.channel.executeThenClose { _, _ in } }
    }
  }

  @Test func `a body that is too large is 413 before it has been read`() async throws {
    try await LocalServer.runLive({ $0.bodyTime = 2 }) { server in
      let members = (0..<100_000).map { "\"a\($0)\":0" }.joined(separator: ",")
      let bytes = Array("{\(members)}".utf8)
      #expect(bytes.count > 1 << 20)
      let answer = try await RawConnection.open(to: server).closing(
        after: Self.head + "Content-Length: \(bytes.count)\r\n\r\n{")
      #expect(answer.hasPrefix("HTTP/1.1 413 "))
      let whole = try await server.send(
        .post, "\(LocalServer.alpha)/authenticate", bytes: Array(bytes.prefix(1 << 20)))
      #expect(whole.status == 413)
      #expect(try await server.signsIn())
    }
  }

  @Test func `deep JSON is 400`() async throws {
    try await LocalServer.runLive({ _ in }) { server in
      let deep = Array((#"{"authId":"# + String(repeating: "[", count: 100_000)).utf8)
      let answer = try await server.send(.post, "\(LocalServer.alpha)/authenticate", bytes: deep)
      #expect(answer.status == 400)
      #expect(try await server.signsIn())
    }
  }
}
