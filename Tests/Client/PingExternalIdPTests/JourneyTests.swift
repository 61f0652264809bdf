import Concurrency
import Foundation
import OpenIDFixtures
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import SealringTesting
import StrictJSON
import Testing

@testable import PingBrowser
@testable import PingExternalIdP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Signing in by another provider")
struct JourneyTests {
  /// Plays `journey` to the step that asks for the provider.
  private func chosen(_ journey: Journey, _ name: String) async throws -> ContinueNode {
    let first = try #require(await journey.start(name) as? ContinueNode)
    let select = try #require(first.callbacks.first as? SelectIdpCallback)
    #expect(select.providers.map(\.provider) == ["op", "localAuthentication"])
    select.value = "op"
    return try #require(await first.next() as? ContinueNode)
  }

  @Test func `the person chooses a provider, signs in there in the browser, and the journey goes on`()
    async throws
  {
    try await World.run { provider, server in
      let step = try await chosen(World.journey(at: server), "Browser")
      let redirect = try #require(step.callbacks.first as? RedirectCallback)
      #expect(redirect.redirectUrl.hasPrefix(provider.issuer + "/authorize?"))
      #expect(redirect.redirectMethod == "GET" && redirect.trackingCookie)
      let browser = AgreeingBrowser(provider)
      let back = try await ScriptedBrowser.$current.withValue(browser) {
        try await redirect.authorize().get()
      }
      #expect(back.scheme == "com.example.app" && browser.visited.withLock { $0 } == [redirect.redirectUrl])
      let next = try #require(await step.next() as? ContinueNode)
      #expect(next.callbacks.first is NameCallback)
      #expect(provider.requests("userinfo").count == 1)
    }
  }

  @Test func `an account is made, and the journey ends with its session`() async throws {
    try await World.run { provider, server in
      provider.lie { behaviour in
        behaviour.userinfo = [
          "sub": "ada", "given_name": "Ada", "family_name": "Byron", "email": "ada@example.com",
          "email_verified": true,
        ]
      }
      for _ in 0..<2 {
        let step = try #require(await World.journey(at: server).start("Social") as? ContinueNode)
        let redirect = try #require(step.callbacks.first as? RedirectCallback)
        try await ScriptedBrowser.$current.withValue(AgreeingBrowser(provider)) {
          _ = try await redirect.authorize().get()
        }
        let end = await step.next()
        #expect((end as? SuccessNode)?.session.value.isEmpty == false, "\(end)")
      }
    }
  }

  @Test func `a person who declines takes the journey's way for that`() async throws {
    try await World.run { provider, server in
      provider.lie { behaviour in
        behaviour.redirect = { parameters in
          parameters["code"] = nil
          parameters["error"] = "access_denied"
        }
      }
      let step = try await chosen(World.journey(at: server), "Browser")
      let redirect = try #require(step.callbacks.first as? RedirectCallback)
      try await ScriptedBrowser.$current.withValue(AgreeingBrowser(provider)) {
        _ = try await redirect.authorize().get()
      }
      let next = try #require(await step.next() as? ContinueNode)
      #expect(next.callbacks.first is PasswordCallback)
    }
  }

  @Test(arguments: [
    ["state=", "state=x"], ["oauth2redirect", "elsewhere"], ["com.example.app", "com.evil.app"],
    ["state=", "state=x&state="],
  ])
  func `a redirect that is not the answer is not sent to the server, and the right one still counts`(
    change: [String]
  ) async throws {
    try await World.run { provider, server in
      let step = try await chosen(World.journey(at: server), "Browser")
      let redirect = try #require(step.callbacks.first as? RedirectCallback)
      let forging = AgreeingBrowser(provider) { $0.replacingOccurrences(of: change[0], with: change[1]) }
      await ScriptedBrowser.$current.withValue(forging) {
        await #expect(throws: IdpExceptions.self) { try await redirect.authorize().get() }
      }
      #expect(
        redirect.intercept(context: step.context, request: Request(urlString: "https://a.example/"))
          .urlRequest.url?.query == nil)
      try await ScriptedBrowser.$current.withValue(AgreeingBrowser(provider)) {
        _ = try await redirect.authorize().get()
      }
      #expect((await step.next() as? ContinueNode)?.callbacks.first is NameCallback)
    }
  }

  @Test func `a page that comes back with another's code does not sign in`() async throws {
    try await World.run { provider, server in
      let step = try await chosen(World.journey(at: server), "Browser")
      let redirect = try #require(step.callbacks.first as? RedirectCallback)
      let forging = AgreeingBrowser(provider) { $0.replacingOccurrences(of: "code=", with: "code=x") }
      try await ScriptedBrowser.$current.withValue(forging) { _ = try await redirect.authorize().get() }
      let end = await step.next()
      #expect((end as? ContinueNode)?.callbacks.first is NameCallback == false && !(end is SuccessNode))
    }
  }

  @Test func `the app signs in by itself over a port of this machine, and sends the ID token`() async throws {
    try await World.run(redirect: "http://127.0.0.1/callback") { provider, server in
      let step = try await chosen(World.journey(at: server), "Native")
      let callback = try #require(step.callbacks.first as? IdpCallback)
      #expect(callback.provider == "op" && callback.clientId == "sealring" && !callback.nonce.isEmpty)
      // A desktop whose browser follows the provider's redirect.
      let launcher = await BrowserLauncher(
        agent: SystemBrowser(place: .desktop) { address, failed in
          Task.detached {
            let answer = try await provider.answer(FakeOpenIDProvider.Request("GET", address.absoluteString))
            let back = try #require(URL(string: answer.headers["Location"] ?? ""))
            _ = try await URLSession.shared.data(from: back)
          }
        })
      try await ScriptedBrowser.$current.withValue(launcher) {
        _ = try await callback.authorize(
          idpHandler: OpenIDHandler(discoveryEndpoint: provider.discoveryEndpoint, clientId: "sealring")
        ).get()
      }
      #expect((await step.next() as? ContinueNode)?.callbacks.first is NameCallback)
      let sent = try #require(provider.requests("/authorize").last?.query["redirect_uri"])
      #expect(sent.hasPrefix("http://127.0.0.1:") && sent.hasSuffix("/callback"))
    }
  }
}
