import CommonFixtures
import Concurrency
import Foundation
import Testing

@testable import PingBrowser

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The browser's redirect to this machine") @MainActor
struct LoopbackTests {
  /// Launches with a free port, and has `visit` do what the browser does with the redirect's address.
  private func launch(
    to redirect: String = "http://127.0.0.1/callback",
    isOwn: @escaping @Sendable (Int32) -> Bool = LoopbackRedirect.isOfThisUser,
    _ visit: @escaping @Sendable (_ redirect: String) async -> Void
  ) async throws -> URL {
    let reserved = try LoopbackRedirect(redirect, isOwn: isOwn)
    let desktop = ScriptedDesktop { _ in await visit(reserved.address) }
    let launcher = desktop.launcher()
    return try await LoopbackRedirect.$reserved.withValue(reserved) {
      try await launcher.launch(url: try page(redirect: reserved.address), callbackURLScheme: "http")
    }
  }

  @Test func `the redirect comes back, and the person is told to go back to the app`() async throws {
    let answer = Locked<(Int, String, String?)?>(nil)
    let url = try await launch { redirect in
      let got = await get(redirect + "?code=c&state=s1")
      answer.withLock {
        $0 = got.map { ($0.status, $0.page, $0.head.value(forHTTPHeaderField: "Cache-Control")) }
      }
    }
    #expect(url.absoluteString.hasSuffix("/callback?code=c&state=s1") && url.host == "127.0.0.1")
    try await eventually("the browser is there") { answer.withLock { $0 != nil } }
    let (status, page, cache) = try #require(answer.withLock { $0 })
    #expect(status == 200 && page.contains("go back to the app") && cache == "no-store")
    #expect(!page.contains("s1"))
  }

  @Test func `the redirect may come to the loopback address of IPv6, and only there`() async throws {
    let others = Locked<[Int?]>([])
    let url = try await launch(to: "http://[::1]/callback") { redirect in
      // The same port of the other address is nobody's, and a page that had its own name lead here names another host.
      let elsewhere = await get(redirect.replacing("[::1]", with: "127.0.0.1") + "?code=forged&state=s1")?
        .status
      let renamed = getOverIPv6(redirect + "?code=forged&state=s1", host: "evil.example.com")
      others.withLock { $0 = [elsewhere, renamed] }
      _ = getOverIPv6(redirect + "?code=c&state=s1")
    }
    #expect(
      url.absoluteString.hasPrefix("http://[::1]:")
        && url.absoluteString.hasSuffix("/callback?code=c&state=s1"))
    #expect(others.withLock { $0 } == [nil, 404])
  }

  @Test(arguments: [
    "OTHER?code=forged&state=s1", "?code=forged&state=other", "?code=forged",
    "?code=forged&state=s1&state=s1",
    "/more?code=forged&state=s1",
  ])
  func `what is not the redirect gets nothing, and the sign-in goes on`(forged: String) async throws {
    let refused = Locked<Int?>(nil)
    let url = try await launch { redirect in
      let address =
        forged.hasPrefix("OTHER")
        ? redirect.replacingOccurrences(of: "callback", with: "favicon.ico") + forged.dropFirst(5)
        : redirect + forged
      let got = await get(address)
      refused.withLock { $0 = got?.status }
      _ = await get(redirect + "?code=right&state=s1")
    }
    #expect(url.query == "code=right&state=s1")
    #expect(refused.withLock { $0 } == 404)
  }

  // They can read the page's address in the list of processes, sign in there themselves, and get a code for this program's challenge.
  @Test func `the redirect of another user's program gets nothing, and the sign-in goes on`() async throws {
    let (isOwn, refused) = (Locked(false), Locked<Int?>(nil))
    let url = try await launch(isOwn: { _ in isOwn.withLock { $0 } }) { redirect in
      let got = await get(redirect + "?code=forged&state=s1")
      refused.withLock { $0 = got?.status }
      isOwn.withLock { $0 = true }
      _ = await get(redirect + "?code=right&state=s1")
    }
    #expect(url.query == "code=right&state=s1")
    #expect(refused.withLock { $0 } == 404)
  }

  @Test func `another method, and a page that has its own name lead here, get nothing`() async throws {
    let refused = Locked<[Int?]>([])
    let url = try await launch { redirect in
      let posted = await get(redirect + "?code=forged&state=s1", method: "POST")?.status
      let renamed = await get(redirect + "?code=forged&state=s1", host: "evil.example.com")?.status
      refused.withLock { $0 = [posted, renamed] }
      _ = await get(redirect + "?code=right&state=s1")
    }
    #expect(url.query == "code=right&state=s1")
    #expect(refused.withLock { $0 } == [404, 404])
  }

  @Test func `a redirect that comes twice finds nobody the second time`() async throws {
    let address = Locked("")
    _ = try await launch { redirect in
      address.withLock { $0 = redirect }
      _ = await get(redirect + "?code=c&state=s1")
    }
    #expect(await get(address.withLock { $0 } + "?code=c&state=s1") == nil)
  }

  @Test func `connections that say nothing do not keep the redirect waiting`() async throws {
    let url = try await launch { redirect in
      let port = UInt16(URL(string: redirect)?.port ?? 0)
      let silent = (0..<20).map { _ in LoopbackListener.connection(to: port) }
      _ = await get(redirect + "?code=c&state=s1")
      for socket in silent { close(socket) }
    }
    #expect(url.query == "code=c&state=s1")
  }

  @Test func `a port that another program has taken opens no browser`() async throws {
    let taken = try LoopbackListener()
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher()
    await #expect(throws: BrowserError.externalUserAgentFailure) {
      try await launcher.launch(
        url: try page(redirect: "http://127.0.0.1:\(taken.port)/callback"), callbackURLScheme: "http")
    }
    #expect(desktop.opened.withLock { $0.isEmpty } && !launcher.isInProgress)
  }

  @Test(arguments: [
    "http://localhost:8080/callback", "http://127.0.0.1/callback", "https://127.0.0.1:8080/callback",
    "http://192.0.2.1:8080/callback", "http://127.0.0.1.example.com:8080/", "http://user@127.0.0.1:8080/",
    "http://[::1]/callback", "http://[::]:8080/callback", "http://[::1].example.com:8080/",
    "http://[2001:db8::1]:8080/",
  ])
  func `redirects that do not end at a port of this machine open no browser`(redirect: String) async throws {
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher()
    await #expect(throws: BrowserError.externalUserAgentFailure) {
      try await launcher.launch(
        url: try page(redirect: redirect), callbackURLScheme: String(redirect.prefix { $0 != ":" }))
    }
    #expect(desktop.opened.withLock { $0.isEmpty })
  }
}

/// The status of what a browser gets at an address of `[::1]`, which Foundation's sessions cannot reach; `nil` when nothing answers.
private func getOverIPv6(_ address: String, host: String? = nil) -> Int? {
  guard let url = URLComponents(string: address), let port = url.port else { return nil }
  let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var place = sockaddr_in6()
  place.sin6_family = sa_family_t(AF_INET6)
  place.sin6_addr = in6addr_loopback
  place.sin6_port = UInt16(port).bigEndian
  let isConnected = withUnsafeBytes(of: &place) {
    connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count)) == 0
  }
  let request = "GET \(url.path)?\(url.query ?? "") HTTP/1.1\r\nHost: \(host ?? "[::1]:\(port)")\r\n\r\n"
  guard isConnected, send(descriptor, request, request.utf8.count, 0) > 0 else { return nil }
  var answer = [UInt8](repeating: 0, count: 64)
  guard recv(descriptor, &answer, answer.count, 0) > 12 else { return nil }
  return Int(String(decoding: answer[9..<12], as: UTF8.self))
}
