import CommonFixtures
import Concurrency
import Foundation
import Testing
import WebAddresses

@testable import PingNetwork

/// Where a request without TLS may go, and what would carry it.
@Suite("The way of requests without TLS")
struct PlainHTTPTests {
  // MARK: Proxies

  private func proxy(_ address: String, _ environment: [String: String]) throws -> String? {
    ProxySettings { environment[$0] }.variable(for: try #require(WebOrigin(address: address)))
  }

  #if !canImport(Darwin)
    @Test(
      arguments: [
        ("http://localhost:8080/am", ["http_proxy": "http://p:1"], "http_proxy"),
        ("http://127.0.0.1:8080/am", ["ALL_PROXY": "socks5://p:1"], "ALL_PROXY"),
        ("http://[::1]:8080/am", ["all_proxy": "http://p:1"], "all_proxy"),
        ("http://localhost/am", ["HTTP_PROXY": "http://p:1"], nil),  // CGI's; libcurl ignores it.
        ("http://localhost/am", ["http_proxy": ""], nil),
        ("https://localhost/am", ["HTTPS_PROXY": "http://p:1"], "HTTPS_PROXY"),
        ("https://localhost/am", ["http_proxy": "http://p:1"], nil),
        ("http://localhost/am", ["http_proxy": "p", "no_proxy": "localhost"], nil),
        ("http://localhost/am", ["http_proxy": "p", "NO_PROXY": "a.example, LOCALHOST"], nil),
        ("http://localhost/am", ["http_proxy": "p", "no_proxy": "", "NO_PROXY": "*"], nil),
        // libcurl 8.9 and later stop at the blank; earlier ones take it for a comma.
        (
          "http://localhost/am", ["http_proxy": "p", "no_proxy": "a.example b.example,localhost"],
          "http_proxy"
        ),
        ("http://localhost/am", ["http_proxy": "p", "no_proxy": "a.example localhost"], "http_proxy"),
        ("http://localhost/am", ["http_proxy": "p", "no_proxy": "localhost a.example"], nil),
        ("http://localhost/am", ["http_proxy": "p", "no_proxy": " a.example\t, ,,localhost "], nil),
        ("http://localhost/am", ["http_proxy": "p", "no_proxy": "\u{A0}localhost"], "http_proxy"),
        ("http://k.example/am", ["http_proxy": "p", "no_proxy": "\u{212A}.example"], "http_proxy"),
        ("http://localhost/am", ["http_proxy": "p", "no_proxy": "127.0.0.1"], "http_proxy"),
        ("http://localhost/am", ["http_proxy": "p", "no_proxy": "xlocalhost"], "http_proxy"),
        ("http://127.0.0.1/am", ["http_proxy": "p", "no_proxy": "127.0.0.1"], nil),
        ("http://127.0.0.1/am", ["http_proxy": "p", "no_proxy": "0.0.1"], "http_proxy"),
        ("http://[::1]/am", ["http_proxy": "p", "no_proxy": "::1"], nil),
        ("http://a.test.example/am", ["http_proxy": "p", "no_proxy": ".test.example"], nil),
        ("http://atest.example/am", ["http_proxy": "p", "no_proxy": "test.example"], "http_proxy"),
      ] as [(String, [String: String], String?)])
    func `a proxy is found as libcurl finds it`(
      address: String, environment: [String: String], variable: String?
    ) throws {
      #expect(try proxy(address, environment) == variable)
    }

    @Test(arguments: [false, true])
    func `no proxy gets what is for this machine or is not encrypted, allowed or not`(isAllowed: Bool) throws
    {
      let proxies = ProxySettings { ["all_proxy": "http://p:1"][$0] }
      for address in [
        "http://localhost:8080/am", "https://127.0.0.1/am", "http://10.0.2.2:8080/am?password=secret",
      ] {
        let error = #expect(throws: InsecureAddressError.self) {
          try PlainHTTP.checkWay(
            address, isAllowed: isAllowed, proxies: proxies, listeners: listeners("", ""))
        }
        #expect(error?.explanation.contains("all_proxy") == true)
        #expect(error?.explanation.contains("secret") == false)
      }
      // What is encrypted and elsewhere may go through one.
      try PlainHTTP.checkWay("https://am.example.com", isAllowed: false, proxies: proxies)
    }

    @Test func `a program exempts this machine, and keeps what is exempt`() async {
      await #expect(processExitsWith: .success) {
        setenv("http_proxy", "http://p:1", 1)
        setenv("no_proxy", "a.example b.example", 1)
        ProxySettings.exemptLoopback()
        #expect(
          getenv("no_proxy").map { String(cString: $0) } == "localhost,127.0.0.1,::1,a.example b.example")
        for host in ["localhost", "127.0.0.1", "[::1]"] {
          #expect(throws: Never.self) {
            try PlainHTTP.checkWay("http://\(host):1/am", isAllowed: true)
          }
        }
      }
    }

    @Test func `a request for this machine was sent to the proxy`() async throws {
      let proxy = try LocalServer { _ in answer("200 OK", body: "from the proxy") }
      let address = proxy.url
      await #expect(processExitsWith: .success) { [address = address as String] in
        setenv("http_proxy", address, 1)
        unsetenv("no_proxy")
        unsetenv("NO_PROXY")
        let client = HttpClient.createClient { $0.allowsInsecureHTTP = true }
        let result = await client.request { $0.url = "http://127.0.0.1:9/am" }
        guard case .failure(NetworkError.invalidRequest(let reason)) = result else {
          Issue.record("\(result)")
          return
        }
        #expect(reason.contains("http_proxy") && reason.contains("no_proxy"))
      }
      #expect(proxy.requests.isEmpty)
    }
  #endif

  // MARK: Listeners

  private static let heading =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

  private static func row(
    _ address: String, _ port: Int, _ user: Int, state: String = "0A", to remote: String = "00000000:0000"
  ) -> String {
    let port = String(port, radix: 16, uppercase: true)
    return
      "   0: \(address):\(String(repeating: "0", count: 4 - port.count))\(port) \(remote) \(state) 00000000:00000000 00:00000000 00000000 \(user)        0 1234 1 0000000000000000 100 0 0 10 0\n"
  }

  /// A connection to port 8080 of 127.0.0.1.
  private static func connection(_ port: Int, _ user: Int, _ state: String = "01") -> String {
    row(four, port, user, state: state, to: "0100007F:1F90")
  }

  /// 127.0.0.1, 0.0.0.0, ::1 and :: as a little-endian machine prints them.
  private static let (four, allFour) = ("0100007F", "00000000")
  private static let six = "00000000000000000000000001000000"
  private static let allSix = "00000000000000000000000000000000"

  private func listeners(
    _ tcp: String?, _ tcp6: String?, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    reads: Locked<Int> = Locked(0)
  ) -> LoopbackListeners {
    LoopbackListeners(
      read: { name, more in
        guard let text = name == "tcp" ? tcp : tcp6 else { return false }
        reads.withLock { $0 += 1 }
        var rest = Array((Self.heading + text).utf8)[...]
        // In pieces that end anywhere.
        while !rest.isEmpty, more(Array(rest.prefix(61))) { rest = rest.dropFirst(61) }
        return true
      }, isTrusted: { [0, 1000].contains($0) }, now: now)
  }

  #if os(Linux)
    @Test(
      arguments: [
        ("http://127.0.0.1:8080", row(four, 8080, 1000), "", nil),
        ("http://127.0.0.1:8080", row(four, 8080, 0), "", nil),
        ("http://127.0.0.1:8080", row(four, 8080, 1001), "", 1001),
        ("http://127.0.0.1:8080", row(allFour, 8080, 1001), "", 1001),
        ("http://127.0.0.1:8080", "", row(allSix, 8080, 1001), 1001),
        ("http://127.0.0.1:8080", row(four, 8081, 1001), "", nil),
        ("http://127.0.0.1:8080", row("0200007F", 8080, 1001), "", nil),
        ("http://127.0.0.2:8080", row("0200007F", 8080, 1001), "", 1001),
        // The kernel prefers the listener at the very address.
        ("http://127.0.0.1:8080", row(four, 8080, 1000) + row(allFour, 8080, 1001), "", nil),
        ("http://127.0.0.1:8080", row(four, 8080, 1000) + row(four, 8080, 1001), "", 1001),
        // A name may be either address.
        ("http://localhost:8080", row(four, 8080, 1000), row(six, 8080, 1001), 1001),
        ("http://[::1]:8080", row(four, 8080, 1001), row(six, 8080, 1000), nil),
        ("http://[::1]:8080", "", row(allSix, 8080, 1001), 1001),
        ("http://127.0.0.1:8080", "", row("0000000000000000FFFF00000100007F", 8080, 1001), 1001),
        // A connection, not a listener.
        ("http://127.0.0.1:8080", row(four, 8080, 1001, state: "01"), "", nil),
        ("http://127.0.0.1:8080", "nonsense\n: : :\n", "", nil),
        ("http://localhost", row(four, 80, 1001), "", 1001),
      ] as [(String, String, String, UInt32?)])
    func `a program of another user is no server`(
      address: String, tcp: String, tcp6: String, user: UInt32?
    ) throws {
      let origin = try #require(WebOrigin(address: address))
      #expect(listeners(tcp, tcp6).stranger(at: origin)?.user == user)
    }

    @Test func `the look is bounded, and one that finds no end finds nobody to trust`() throws {
      let many = String(repeating: Self.row(Self.four, 9, 1000), count: 9000)
      let origin = try #require(WebOrigin(address: "http://127.0.0.1:8080"))
      #expect(listeners(many, "").stranger(at: origin) == LoopbackListeners.Stranger(user: nil))
      // Connections come after the listeners, and are not read.
      let busy = Self.row(Self.four, 8080, 1000) + Self.row(Self.four, 9, 1000, state: "01")
      let connections = String(repeating: Self.row(Self.four, 9, 1001, state: "01"), count: 9000)
      #expect(listeners(busy + connections, "").stranger(at: origin) == nil)
    }

    @Test func `a good finding holds for a second, a bad one for no time`() throws {
      let reads = Locked(0)
      let origin = try #require(WebOrigin(address: "http://127.0.0.1:8080"))
      let good = listeners(Self.row(Self.four, 8080, 1000), "", now: { .now }, reads: reads)
      _ = (good.stranger(at: origin), good.stranger(at: origin))
      #expect(reads.withLock { $0 } == 2)
      let bad = listeners(Self.row(Self.four, 8080, 1001), "", reads: reads)
      _ = (bad.stranger(at: origin), bad.stranger(at: origin))
      #expect(reads.withLock { $0 } == 6)
      let start = ContinuousClock.now
      let time = Locked(start)
      let later = listeners(
        Self.row(Self.four, 8080, 1000), "", now: { time.withLock { $0 } }, reads: reads)
      _ = later.stranger(at: origin)
      time.withLock { $0 = start + .seconds(1) }
      _ = later.stranger(at: origin)
      #expect(reads.withLock { $0 } == 10)
    }

    @Test func `that nobody listens holds for no time`() throws {
      let (reads, table) = (Locked(0), Locked(""))
      let origin = try #require(WebOrigin(address: "http://127.0.0.1:8080"))
      let listeners = LoopbackListeners(
        read: { name, more in
          reads.withLock { $0 += 1 }
          _ = more(Array((Self.heading + (name == "tcp" ? table.withLock { $0 } : "")).utf8))
          return true
        }, isTrusted: { [0, 1000].contains($0) }, now: { .now })
      #expect(listeners.stranger(at: origin) == nil)
      table.withLock { $0 = Self.row(Self.four, 8080, 1001) }
      #expect(listeners.stranger(at: origin)?.user == 1001)
      #expect(reads.withLock { $0 } == 4)
    }

    @Test func `this machine's tables tell whose the test's own server is`() throws {
      let server = try LocalServer { _ in answer("200 OK") }
      let origin = try #require(WebOrigin(address: server.url))
      #expect(LoopbackListeners.machine.stranger(at: origin) == nil)
      // The same tables, read as somebody who trusts nobody.
      let distrustful = LoopbackListeners(
        read: LoopbackListeners.readTable, isTrusted: { _ in false }, now: { .now })
      #expect(distrustful.stranger(at: origin)?.user == geteuid())
    }

    @Test(
      arguments: [
        (row(four, 8080, 1001) + connection(5000, 1000), "", true), (connection(5000, 0), "", true),
        (connection(5000, 1001), "", false), (connection(5001, 1000), "", false),
        (row(four, 5000, 1000, state: "01", to: "0100007F:1F91"), "", false),
        // The socket of a program that has closed it is root's, or gone: whose it was, nobody can tell.
        (connection(5000, 0, "05"), "", false), (connection(5000, 1000, "06"), "", false), ("", "", false),
        (
          "",
          row(
            "0000000000000000FFFF00000100007F", 5000, 1000, state: "01",
            to: "0000000000000000FFFF00000100007F:1F90"), true
        ),
      ] as [(String, String, Bool)])
    func `a connection is of the user who has its other end`(tcp: String, tcp6: String, isTrusted: Bool) {
      let ends = [5000, 8080].map { LoopbackListeners.End(address: IPAddress(ipv4: 0x7F00_0001), port: $0) }
      #expect(listeners(tcp, tcp6).trusts(ends[0], connectedTo: ends[1]) == isTrusted)
      #expect(listeners(nil, nil).trusts(ends[0], connectedTo: ends[1]))
    }

    @Test func `this machine's tables tell whose a connection is, until it is closed`() throws {
      let listener = try LoopbackListener()
      let client = LoopbackListener.connection(to: listener.port)
      let accepted = try #require(listener.accept())
      defer { close(accepted) }
      let distrustful = LoopbackListeners(
        read: LoopbackListeners.readTable, isTrusted: { $0 != geteuid() }, now: { .now })
      #expect(LoopbackListeners.machine.trustsOtherEnd(of: accepted))
      #expect(!distrustful.trustsOtherEnd(of: accepted))
      close(client)
      #expect(!LoopbackListeners.machine.trustsOtherEnd(of: accepted))
      #expect(!LoopbackListeners.machine.trustsOtherEnd(of: -1))
    }

    @Test func `passwords went to whoever listened while the server was down`() throws {
      let squatted = listeners(Self.row(Self.four, 8080, 1001), "")
      let direct = ProxySettings { _ in nil }
      let error = #expect(throws: InsecureAddressError.self) {
        try PlainHTTP.checkWay(
          "http://127.0.0.1:8080/am", isAllowed: false, proxies: direct, listeners: squatted)
      }
      #expect(error?.explanation.contains("uid 1001") == true)
      // The app has said that it does not matter; TLS tells who the server is; other machines are others' matter.
      try PlainHTTP.checkWay(
        "http://127.0.0.1:8080/am", isAllowed: true, proxies: direct, listeners: squatted)
      try PlainHTTP.checkWay(
        "https://127.0.0.1:8080/am", isAllowed: false, proxies: direct, listeners: squatted)
      try PlainHTTP.checkWay(
        "https://am.example.com:8080/am", isAllowed: false, proxies: direct, listeners: squatted)
    }
  #endif

  @Test func `where the system does not tell, nobody is refused`() throws {
    let origin = try #require(WebOrigin(address: "http://127.0.0.1:8080"))
    #expect(listeners(nil, nil).stranger(at: origin) == nil)
  }
}
