import CommonFixtures
import Concurrency
import FRAuth
import Foundation
import LegacyFixtures
import PingJourney
import PingOrchestrate
import PingStorage
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.serialized, .earlierNames) struct SessionEndTests {
  /// A server that signs everybody in. `asked` receives what it is asked for, and the session that came along.
  private func start(_ asked: Locked<[String]>) throws {
    try FRAuth.start(options: FROptions(url: "https://am.example.com/am", realm: "alpha")) { config in
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
      config.httpClient = HttpClient { request in
        let isEnd = request.url?.query?.contains("_action=logout") == true
        let hasSession = (request.allHTTPHeaderFields ?? [:]).values.contains { $0.contains("t*1") }
        asked.withLock { $0.append((isEnd ? "end" : "step") + (hasSession ? " with a session" : "")) }
        let address = try #require(request.url)
        let head = try #require(
          HTTPURLResponse(
            url: address, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: ["Content-Type": "application/json"]))
        return (Data(#"{"tokenId":"t*1","successUrl":"/","realm":"/alpha"}"#.utf8), head)
      }
    }
  }

  private func signIn() async -> String? {
    await withCheckedContinuation { continuation in
      FRSession.authenticate(authIndexValue: "Login") { (token: Token?, _, _) in
        continuation.resume(returning: token?.value)
      }
    }
  }

  @Test func `a journey right after a sign-out never goes on with the old session`() async throws {
    let asked = Locked<[String]>([])
    try start(asked)
    #expect(await signIn() == "t*1")
    var expected = ["step"]
    for _ in 0..<50 {
      let session = try #require(FRSession.currentSession)
      // What the sign-out leaves to the background may run after what the sign-in does.
      let isSignedOut = Signal()
      Task.detached(priority: .background) {
        session.logout()
        isSignedOut.fire()
      }
      await isSignedOut.wait()
      #expect(await Task.detached(priority: .high) { await signIn() }.value == "t*1")
      expected += ["end with a session", "step"]
    }
    #expect(asked.withLock { $0 } == expected)
  }
}
