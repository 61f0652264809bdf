import Concurrency
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import StrictJSON
import Testing
import WebAddresses

@testable import Assembly
@testable import ServerHTTP

/// What the server makes of forwarding headers. Proxies in 10.0.0.0/8 and 2001:db8:f::/48 are trusted.
@Suite("Forwarding headers")
struct TrustedProxiesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var peer = "10.0.0.1"
    let headers: [(String, String)]
    var client: String
    var scheme: String?
    var host = "own.example:8080"

    var testDescription: String { "\(peer) \(headers)" }
  }

  static func connection(_ row: Row, isTLS: Bool = false) throws -> ClientConnection {
    var head = HTTPRequest(method: .post, scheme: nil, authority: "own.example:8080", path: "/")
    for (name, value) in row.headers {
      head.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    let proxies = TrustedProxies(
      blocks: [try AddressBlock("10.0.0.0/8"), try AddressBlock("2001:db8:f::/48")], isTLS: isTLS)
    return proxies.connection(of: head, peer: IPAddress(row.peer))
  }

  @Test(
    arguments: [
      Row(headers: [], client: "10.0.0.1"),
      Row(headers: [("X-Forwarded-For", "203.0.113.7")], client: "203.0.113.7"),
      Row(headers: [("X-Forwarded-For", "203.0.113.7:4711")], client: "203.0.113.7"),
      Row(headers: [("X-Forwarded-For", "[2001:db8::7]:4711")], client: "2001:db8::7"),
      Row(headers: [("X-Forwarded-For", "2001:db8::7")], client: "2001:db8::7"),
      Row(headers: [("X-Forwarded-For", "::ffff:203.0.113.7")], client: "203.0.113.7"),
      Row(peer: "::ffff:10.0.0.1", headers: [("X-Forwarded-For", "203.0.113.7")], client: "203.0.113.7"),
      Row(peer: "2001:db8:f::1", headers: [("X-Forwarded-For", "203.0.113.7")], client: "203.0.113.7"),
      Row(headers: [("X-Forwarded-For", "203.0.113.7, 10.0.0.2")], client: "203.0.113.7"),
      Row(
        headers: [("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-For", "10.0.0.2")], client: "203.0.113.7"),
      Row(headers: [("X-Forwarded-For", "10.0.0.9, 10.0.0.2")], client: "10.0.0.9"),
      Row(
        headers: [
          ("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Proto", "https"),
          ("X-Forwarded-Host", "id.example.com"),
        ], client: "203.0.113.7", scheme: "https", host: "id.example.com"),
      Row(headers: [("X-Forwarded-Proto", "http")], client: "10.0.0.1", scheme: "http"),
      Row(
        headers: [("Forwarded", "for=203.0.113.7;proto=https;host=\"id.example.com:8443\";by=_edge")],
        client: "203.0.113.7", scheme: "https", host: "id.example.com:8443"),
      Row(
        headers: [("Forwarded", "For=\"[2001:db8::7]:4711\"; PROTO=HTTPS")], client: "2001:db8::7",
        scheme: "https"),
      Row(
        headers: [("Forwarded", "for=203.0.113.7;proto=https, for=10.0.0.2;proto=http")],
        client: "203.0.113.7", scheme: "https"),
      Row(
        headers: [("Forwarded", "for=203.0.113.7;proto=https"), ("X-Forwarded-For", "203.0.113.7")],
        client: "203.0.113.7", scheme: "https"),
    ])
  func `a trusted proxy is believed, from the right up to the first hop that is not trusted`(_ row: Row)
    throws
  {
    let connection = try Self.connection(row)
    #expect(connection.address?.description == row.client)
    #expect(connection.scheme?.rawValue == row.scheme)
    #expect(connection.host == row.host)
  }

  @Test(
    arguments: [
      // Straight from the internet.
      Row(
        peer: "203.0.113.7",
        headers: [
          ("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-Proto", "https"),
          ("X-Forwarded-Host", "evil.example"),
        ], client: "203.0.113.7"),
      Row(
        peer: "203.0.113.7", headers: [("Forwarded", "for=198.51.100.1;proto=https;host=evil.example")],
        client: "203.0.113.7"),
      Row(peer: "2001:db8:e::1", headers: [("X-Forwarded-For", "198.51.100.1")], client: "2001:db8:e::1"),
      // Through a proxy that appends to what the client sent.
      Row(headers: [("X-Forwarded-For", "198.51.100.1, 203.0.113.7")], client: "203.0.113.7"),
      Row(headers: [("X-Forwarded-For", "10.0.0.9, 203.0.113.7")], client: "203.0.113.7"),
      Row(
        headers: [("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-For", "203.0.113.7")],
        client: "203.0.113.7"),
      Row(
        headers: [
          ("Forwarded", "for=198.51.100.1;proto=https;host=evil.example, for=203.0.113.7;proto=http")
        ],
        client: "203.0.113.7", scheme: "http"),
      Row(headers: [("Forwarded", "for=198.51.100.1;x=\", for=203.0.113.7")], client: "203.0.113.7"),
      Row(headers: [("Forwarded", "for=\"198.51.100.1, for=\"[2001:db8::7]\"")], client: "2001:db8::7"),
      Row(headers: [("Forwarded", "for=198.51.100.1;x=\"\\, for=\"[2001:db8::7]\"")], client: "2001:db8::7"),
      // Through a proxy that sets one header and passes the client's other one.
      Row(
        headers: [
          ("Forwarded", "for=198.51.100.1;proto=https;host=evil.example"), ("X-Forwarded-For", "203.0.113.7"),
        ], client: "10.0.0.1"),
      Row(
        headers: [
          ("Forwarded", "for=203.0.113.7"), ("X-Forwarded-Proto", "https"),
          ("X-Forwarded-Host", "evil.example"),
        ], client: "203.0.113.7"),
    ])
  func `a client cannot forge its address, its scheme or the server's host`(_ row: Row) throws {
    let connection = try Self.connection(row)
    #expect(connection.address?.description == row.client)
    #expect(connection.scheme?.rawValue == row.scheme)
    #expect(connection.host == row.host)
  }

  @Test(
    arguments: [
      Row(headers: [("X-Forwarded-For", "203.0.113.7, garbage")], client: "10.0.0.1"),
      Row(headers: [("X-Forwarded-For", "203.0.113.7, garbage, 10.0.0.2")], client: "10.0.0.2"),
      Row(headers: [("X-Forwarded-For", "203.0.113.7,")], client: "10.0.0.1"),
      Row(headers: [("X-Forwarded-For", "unknown")], client: "10.0.0.1"),
      Row(headers: [("X-Forwarded-For", "203.0.113.7:port")], client: "10.0.0.1"),
      Row(headers: [("X-Forwarded-For", String(repeating: "1", count: 5000))], client: "10.0.0.1"),
      Row(
        headers: [("X-Forwarded-For", "203.0.113.7" + String(repeating: ", 10.0.0.2", count: 20))],
        client: "10.0.0.2"),
      Row(headers: [("Forwarded", "for=unknown;proto=https")], client: "10.0.0.1", scheme: "https"),
      Row(headers: [("Forwarded", "for=_hidden, for=10.0.0.2")], client: "10.0.0.2"),
      Row(headers: [("Forwarded", "for=203.0.113.7;for=203.0.113.8")], client: "10.0.0.1"),
      Row(headers: [("Forwarded", "for=2001:db8::7")], client: "10.0.0.1"),
      Row(headers: [("Forwarded", "for=\"[192.0.2.1]\"")], client: "10.0.0.1"),
      Row(headers: [("Forwarded", "for=203.0.113.7;proto=gopher")], client: "10.0.0.1"),
      Row(headers: [("Forwarded", "for=203.0.113.7;host=\"a b\"")], client: "10.0.0.1"),
      Row(headers: [("Forwarded", "for=203.0.113.7;")], client: "10.0.0.1"),
      Row(headers: [("Forwarded", "for 203.0.113.7")], client: "10.0.0.1"),
      Row(headers: [("Forwarded", "")], client: "10.0.0.1"),
      Row(headers: [("X-Forwarded-Proto", "https, ftp")], client: "10.0.0.1"),
      Row(headers: [("X-Forwarded-Host", "evil.example/path?x=")], client: "10.0.0.1"),
    ])
  func `reading stops at what is not an address, and the last hop that was one counts`(_ row: Row) throws {
    let connection = try Self.connection(row)
    #expect(connection.address?.description == row.client)
    #expect(connection.scheme?.rawValue == row.scheme)
    #expect(connection.host == row.host)
  }

  @Test func `with TLS here, the scheme is https unless a proxy says otherwise`() throws {
    #expect(try Self.connection(Row(headers: [], client: ""), isTLS: true).scheme == .https)
    let row = Row(headers: [("X-Forwarded-Proto", "http")], client: "")
    #expect(try Self.connection(row, isTLS: true).scheme == .http)
  }

  @Test
  func
    `behind a trusted proxy, one client that is refused too often does not use up the others' patience (H3)`()
    async throws
  {
    let path = "\(LocalServer.alpha)/push/sns/message?_action=authenticate"
    try await LocalServer.run(
      .live,
      {
        $0.host = "127.0.0.1"
        $0.limits.refusedProofsPerAddress = 2
        $0.trustedProxies = (try? AddressBlock("127.0.0.1")).map { [$0] } ?? []
      }
    ) { server in
      var statuses: [Int] = []
      for client in ["2001:db8::bad:1", "2001:db8::bad:1", "2001:db8::bad:2", "203.0.113.7"] {
        statuses.append(
          try await server.call(.post, path, body: [:], headers: ["X-Forwarded-For": client]).status)
      }
      #expect(statuses == [400, 400, 429, 400])
      let log = server.log.withLock { $0 }
      #expect(log.contains { $0.contains("client=203.0.113.7") })
    }
  }

  @Test func `a client that no proxy speaks for is counted by its own address, whatever it says`()
    async throws
  {
    let path = "\(LocalServer.alpha)/push/sns/message?_action=authenticate"
    try await LocalServer.run(.live, { $0.limits.refusedProofsPerAddress = 2 }) { server in
      var statuses: [Int] = []
      for number in 1...3 {
        statuses.append(
          try await server.call(
            .post, path, body: [:],
            headers: ["X-Forwarded-For": "203.0.113.\(number)", "Forwarded": "for=203.0.113.\(number)"]
          ).status)
      }
      #expect(statuses == [400, 400, 429])
    }
  }
}
