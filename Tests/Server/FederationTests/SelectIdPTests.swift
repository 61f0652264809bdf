import JourneyEngine
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Choosing a provider")
struct SelectIdPTests {
  @Test func `providers are offered with what pages show, and only an offered one can be chosen`()
    async throws
  {
    let world = try FederationWorld(settings: ["uiConfig": ["buttonDisplayName": "Example"]])
    var step = try world.node("SelectIdPNode")
    step.state = JourneyState()
    guard case .callbacks(let asked) = try await step.evaluate() else {
      Issue.record("not asked")
      return
    }
    #expect(asked[0].type == "SelectIdPCallback")
    let offered = try #require(asked[0].outputs.first { $0.name == "providers" }?.value.arrayValue)
    #expect(offered.map { $0["provider"] } == ["op", "localAuthentication"])
    #expect(offered[0]["uiConfig"]?["buttonDisplayName"] == "Example")
    guard case .callbacks = try await step.evaluate(reply: ["": "evil"]) else {
      Issue.record("chose what was not offered")
      return
    }
    #expect(step.state.shared["selectedIdp"] == nil)
    #expect(try await step.evaluate(reply: ["": "op"]) == .outcome("socialAuthentication"))
    #expect(step.state.shared["selectedIdp"] == "op")
    #expect(try await step.evaluate(reply: ["": "localAuthentication"]) == .outcome("localAuthentication"))
  }

  @Test func `without a choice nobody is asked`() async throws {
    let world = try FederationWorld()
    var only = try world.node("SelectIdPNode", ["includeLocalAuthentication": false])
    #expect(try await only.evaluate() == .outcome("socialAuthentication"))
    #expect(only.node.outcomes == ["socialAuthentication"])
    await #expect(throws: NodeError.self) {
      var local = try world.node("SelectIdPNode", ["includeLocalAuthentication": false])
      _ = try await local.evaluate(reply: ["": "localAuthentication"])
      local.realm = "beta"
      _ = try await local.evaluate()
    }
    var none = try world.node("SelectIdPNode", ["filteredProviders": ["other"]])
    #expect(try await none.evaluate() == .outcome("localAuthentication"))
  }

  @Test func `only the providers that the user is linked with, when the node says so`() async throws {
    let world = try FederationWorld(accounts: [
      ["userName": "ada", "realm": "alpha", "aliasList": ["https://op.example.com/oauth2 1"]],
      ["userName": "bob", "realm": "alpha"],
    ])
    for (name, isOffered) in [("ada", true), ("bob", false)] {
      var step = try world.node("SelectIdPNode", ["offerOnlyExisting": true])
      step.state.username = name
      let result = try await step.evaluate()
      #expect((result == .outcome("localAuthentication")) == !isOffered)
    }
  }
}

@Suite("The file of providers")
struct IdentityProviderFileTests {
  private func parse(_ text: String, environment: [String: String] = [:]) throws -> [IdentityProvider] {
    try IdentityProvider.parse(Array(text.utf8)) { environment[$0] }
  }

  @Test func `an export of one or of several journeys is a file of providers`() throws {
    let google =
      #"{"_id":"google","_type":{"_id":"googleConfig"},"clientId":"c","issuer":"https://accounts.example.com","tokenEndpoint":"https://oauth2.example.com/token","scopes":["openid"],"scopeDelimiter":" ","enabled":true,"jwtSigningAlgorithm":"NONE"}"#
    for text in [
      #"{"google":\#(google)}"#, #"{"socialIdentityProviders":{"google":\#(google)}}"#,
      #"{"tree":{},"socialIdentityProviders":{"google":\#(google)}}"#,
      #"{"trees":{"A":{"socialIdentityProviders":{"google":\#(google)}},"B":{"socialIdentityProviders":{"google":\#(google)}},"C":{}}}"#,
    ] {
      let provider = try #require(try parse(text).first)
      #expect(provider.name == "google" && provider.authentication == .none)
      #expect(provider.allows("https://oauth2.example.com/x") && !provider.allows("https://evil.example.com"))
    }
  }

  @Test func `secrets come from the environment, and are never shown`() throws {
    let text = #"{"a":{"clientId":"c","issuer":"https://op.example.com","clientSecretEnvironment":"S"}}"#
    let provider = try #require(try parse(text, environment: ["S": "top-secret"]).first)
    #expect(provider.clientSecret?.reveal() == "top-secret" && provider.authentication == .basic)
    #expect(!"\(provider)".contains("top-secret"))
    #expect(throws: JSONFault.self) { try parse(text) }
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"a":1}"#, #"{"a":{"clientId":"c"}}"#, #"{"a":{"issuer":"https://op.example.com"}}"#,
    #"{"a":{"clientId":"c","issuer":"http://op.example.com"}}"#,
    #"{"a":{"clientId":"c","issuer":"https://op.example.com?x"}}"#,
    #"{"a":{"clientId":"c","issuer":"https://op.example.com","scopes":["profile"]}}"#,
    #"{"a":{"clientId":"c","issuer":"https://op.example.com","clientAuthenticationMethod":"MTLS"}}"#,
    #"{"a":{"clientId":"c","issuer":"https://op.example.com","clientAuthenticationMethod":"CLIENT_SECRET_POST"}}"#,
    #"{"a":{"clientId":"c","issuer":"https://op.example.com","clientSecret":"&{esv.secret}"}}"#,
    #"{"localAuthentication":{"clientId":"c","issuer":"https://op.example.com"}}"#,
    #"{"a":{"clientId":"c","issuer":"https://op.example.com","hosts":["http://x.example.com"]}}"#,
    #"{"trees":{"A":{"socialIdentityProviders":{"a":{"clientId":"c","issuer":"https://a.example.com"}}},"B":{"socialIdentityProviders":{"a":{"clientId":"c","issuer":"https://b.example.com"}}}}}"#,
  ])
  func `a file that is wrong says why, and gives no provider`(text: String) {
    #expect(throws: JSONFault.self) { try parse(text) }
  }
}
