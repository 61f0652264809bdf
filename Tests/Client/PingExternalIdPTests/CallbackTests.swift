import Foundation
import OpenIDFixtures
import PingJourneyPlugin
import PingOrchestrate
import Testing

@testable import PingBrowser
@testable import PingExternalIdP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Callbacks of other providers")
struct CallbackTests {
  private static func callback<Kind: AbstractCallback>(
    _ kind: Kind.Type, _ outputs: [String: Any], inputs: [String] = []
  ) -> Kind {
    let callback = Kind()
    callback.json = [
      "output": outputs.map { ["name": $0.key, "value": $0.value] },
      "input": inputs.map { ["name": $0, "value": ""] },
    ]
    _ = callback.initialize(with: callback.json) as any Callback
    return callback
  }

  @Test func `an IdPCallback answers with token and type, by the names of its place`() async throws {
    struct Handler: IdpHandler {
      let tokenType = "authorization_code"
      func authorize(idpClient: IdpClient) async throws -> IdpResult {
        #expect(idpClient.scopes == ["openid"] && idpClient.nonce == "n" && idpClient.acrValues == ["a"])
        return IdpResult(token: "secret")
      }
    }
    let callback = Self.callback(
      IdpCallback.self,
      [
        "provider": "op", "clientId": "c", "redirectUri": "r:/", "scopes": ["openid"], "nonce": "n",
        "acrValues": ["a"], "request": "q", "requestUri": "u", "acceptsJSON": true,
      ], inputs: ["IDToken1token", "IDToken1token_type"])
    #expect(callback.request == "q" && callback.requestUri == "u" && callback.acceptsJSON)
    await #expect(throws: IdpExceptions.self) { try await callback.authorize().get() }
    let result = try await callback.authorize(idpHandler: Handler()).get()
    #expect(!"\(result)".contains("secret"))
    let inputs = callback.payload()["input"] as? [[String: String]]
    #expect(inputs?.map { $0["value"] } == ["secret", "authorization_code"])
  }

  @Test(
    arguments: [
      (
        true, ["user": #"{"name":"Ada"}"#, "id_token": "forged"],
        #"{"id_token":"secret","user":"{\"name\":\"Ada\"}"}"#
      ),
      (true, [:], "secret"), (true, nil, "secret"), (false, ["user": "Ada"], "secret"),
    ] as [(Bool, [String: String]?, String)])
  func `what a provider says besides goes along as JSON, where the server takes it`(
    accepts: Bool, more: [String: String]?, sent: String
  ) async throws {
    struct Handler: IdpHandler {
      let tokenType = "id_token"
      let more: [String: String]?
      func authorize(idpClient: IdpClient) async throws -> IdpResult {
        IdpResult(token: "secret", additionalParameters: more)
      }
    }
    let callback = Self.callback(
      IdpCallback.self, ["provider": "apple", "acceptsJSON": accepts],
      inputs: ["IDToken1token", "IDToken1token_type"])
    _ = try await callback.authorize(idpHandler: Handler(more: more)).get()
    let inputs = callback.payload()["input"] as? [[String: String]]
    #expect(inputs?.map { $0["value"] } == [sent, "id_token"])
  }

  @Test func `of a redirect only the protocol's parameters reach the server`() async throws {
    struct Browser: BrowserLauncherProtocol {
      let isInProgress = false
      func reset() {}
      func handleAppActivation() {}
      func launch(
        url: URL, customParams: [String: String]?, browserType: BrowserType, browserMode: BrowserMode,
        callbackURLScheme: String
      ) async throws -> URL {
        try #require(
          URL(
            string:
              "a:/x?code=c&state=s&iss=i&authIndexType=service&authIndexValue=Evil&suspendedId=1&_action=x"))
      }
    }
    let callback = Self.callback(
      RedirectCallback.self, ["redirectUrl": "https://op.example.com/a?redirect_uri=a%3A%2Fx&state=s"])
    try await ScriptedBrowser.$current.withValue(Browser()) { _ = try await callback.authorize().get() }
    let request = callback.intercept(
      context: FlowContext(flowContext: SharedContext()),
      request: Request(urlString: "https://am.example.com/a"))
    #expect(request.urlRequest.url?.query == "code=c&state=s&iss=i")
  }

  @Test func `a server that names another app's client id gets no ID token`() async throws {
    let handler = OpenIDHandler(
      discoveryEndpoint: FakeOpenIDProvider().discoveryEndpoint, clientId: "app",
      httpClient: HttpClient { _ in throw URLError(.notConnectedToInternet) })
    let client = IdpClient(
      clientId: "bank", redirectUri: "http://127.0.0.1/callback", scopes: ["openid"], nonce: "n")
    // Refused before the provider is asked.
    await #expect(throws: IdpExceptions.self) { try await handler.authorize(idpClient: client) }
  }

  @Test(arguments: [
    ("javascript:alert(1)", "GET"), ("file:///etc/passwd?redirect_uri=a%3A%2Fx", "GET"),
    ("https://op.example.com/a?redirect_uri=a%3A%2Fx", "POST"), ("", "GET"),
    ("http://op.example.com/a?redirect_uri=a%3A%2Fx", "GET"),
  ])
  func `addresses that are no web page's are never opened`(address: String, method: String) async throws {
    let launcher = await BrowserLauncher(
      agent: SystemBrowser(place: .desktop) { _, _ in Issue.record("opened") })
    let callback = Self.callback(
      RedirectCallback.self, ["redirectUrl": address, "redirectMethod": method])
    await ScriptedBrowser.$current.withValue(launcher) {
      await #expect(throws: (any Error).self) { try await callback.authorize().get() }
    }
  }

  @Test func `values of other types are left out`() {
    let select = Self.callback(
      SelectIdpCallback.self,
      ["providers": [["provider": 7], ["provider": "op", "uiConfig": ["a": 1]]], "value": 3],
      inputs: [""])
    #expect(select.providers.map(\.provider) == ["op"] && select.providers[0].uiConfig["a"] as? Int == 1)
    #expect(select.value.isEmpty)
    let callback = Self.callback(IdpCallback.self, ["scopes": "openid", "nonce": 1, "acceptsJSON": "true"])
    #expect(callback.scopes.isEmpty && callback.nonce.isEmpty && !callback.acceptsJSON)
  }
}
