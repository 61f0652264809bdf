import Bytes
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JourneyNodes
import NIOCore
import OpenIDFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

/// A provider and a server that speak to each other by HTTP.
@Suite("Another provider, over HTTP")
struct OverHTTPTests {
  private static let journey: JSONObject = [
    "tree": [
      "_id": "Federated", "entryNodeId": "select",
      "nodes": [
        "select": ["nodeType": "SelectIdPNode", "connections": ["socialAuthentication": "handle"]],
        "handle": [
          "nodeType": "SocialProviderHandlerNode",
          "connections": [
            "ACCOUNT_EXISTS": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "NO_ACCOUNT": "name",
            "SOCIAL_AUTH_INTERRUPTED": "e301438c-0bd0-429c-ab0c-66126501069a",
          ],
        ],
        "name": [
          "nodeType": "UsernameCollectorNode",
          "connections": ["outcome": "e301438c-0bd0-429c-ab0c-66126501069a"],
        ],
      ],
    ],
    "nodes": [
      "select": [
        "_id": "select", "_type": ["_id": "SelectIdPNode"], "includeLocalAuthentication": false,
      ],
      "handle": ["_id": "handle", "_type": ["_id": "SocialProviderHandlerNode"], "clientType": "BROWSER"],
      "name": ["_id": "name", "_type": ["_id": "UsernameCollectorNode"]],
    ],
  ]

  /// An older social node, and an account for whoever has none.
  private static let social: JSONObject = {
    let (success, failure): (JSONValue, JSONValue) = (
      "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a"
    )
    return [
      "tree": [
        "_id": "Social", "entryNodeId": "google",
        "nodes": [
          "google": [
            "nodeType": "SocialGoogleNode",
            "connections": ["ACCOUNT_EXISTS": success, "NO_ACCOUNT": "password"],
          ],
          "password": ["nodeType": "CreatePasswordNode", "connections": ["outcome": "provision"]],
          "provision": ["nodeType": "ProvisionDynamicAccountNode", "connections": ["outcome": success]],
        ],
      ],
      "nodes": [
        "google": [
          "_id": "google", "_type": ["_id": "SocialGoogleNode"], "provider": "google",
          "clientId": "sealring", "tokenEndpoint": "https://evil.example.com/token",
          "cfgAttributeMappingConfiguration": [
            "sub": "iplanet-am-user-alias-list", "given_name": "givenName", "family_name": "sn",
            "email": "mail",
          ],
        ],
        "password": ["_id": "password", "_type": ["_id": "CreatePasswordNode"], "minPasswordLength": 0],
        "provision": [
          "_id": "provision", "_type": ["_id": "ProvisionDynamicAccountNode"],
          "accountProviderClass":
            "org.forgerock.openam.authentication.modules.common.mapping.DefaultAccountProvider",
        ],
      ],
    ]
  }()

  /// Runs `body` with a provider on this machine, and a server that knows it.
  private func run(
    _ body: @escaping @Sendable (FakeOpenIDProvider, any TestClientProtocol) async throws -> Void
  ) async throws {
    let current = Locked<FakeOpenIDProvider?>(nil)
    let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in
      guard let provider = current.withLock({ $0 }), let origin = provider.issuer.range(of: "/oauth2") else {
        throw HTTPError(.notFound)
      }
      let received = try await request.body.collect(upTo: 1 << 20)
      var headers: [String: String] = [:]
      for field in request.headers { headers[field.name.canonicalName] = field.value }
      let answer = try await provider.answer(
        FakeOpenIDProvider.Request(
          request.method.rawValue, provider.issuer[..<origin.lowerBound] + request.uri.string,
          headers: headers, body: String(buffer: received)))
      return Response(
        status: .init(code: answer.status), body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
    }
    let application = Application(
      responder: responder, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
    try await application.test(.live) { client in
      let provider = FakeOpenIDProvider(issuer: "http://127.0.0.1:\(try #require(client.port))/oauth2")
      current.withLock { $0 = provider }
      let folder = try TemporaryFolder.make()
      try folder.write(Self.journey.serialized, to: "alpha/Federated.journey.json")
      try folder.write(Self.social.serialized, to: "alpha/Social.journey.json")
      var configuration = ServerConfiguration()
      configuration.port = 0
      configuration.administratorPassword = Secret("correct horse")
      configuration.journeysDirectory = folder.url
      configuration.requiresAllJourneys = true
      let file: JSONObject = [
        "op": [
          "issuer": .string(provider.issuer), "clientId": "sealring",
          "redirectURI": "https://id.example.com/am/XUI/",
        ]
      ]
      try configuration.identityProviders.add(
        try IdentityProvider.parse(file.serialized) { _ in nil }, realm: "alpha")
      let server = try await SealringServer.make(configuration)
      try await server.application().test(.router) { client in try await body(provider, client) }
      try await server.close()
    }
  }

  private func post(
    _ client: any TestClientProtocol, _ query: String, _ body: JSONObject = [:]
  ) async throws -> (status: Int, json: JSONValue) {
    try await client.execute(
      uri: "/am/json/realms/root/realms/alpha/authenticate?\(query)", method: .post,
      headers: [.contentType: "application/json"], body: ByteBuffer(bytes: body.serialized)
    ) { ($0.status.code, try JSONValue(parsing: Array($0.body.readableBytesView))) }
  }

  /// Starts the journey and sends the person to the provider; the step's body, and the query of the redirect back.
  private func leave(
    _ provider: FakeOpenIDProvider, _ client: any TestClientProtocol, journey: String = "Federated"
  ) async throws -> (reply: JSONObject, query: String) {
    let step = try await post(client, "authIndexType=service&authIndexValue=\(journey)")
    let callback = try #require(step.json["callbacks"]?[0])
    #expect(callback["type"] == "RedirectCallback")
    let address = try #require(callback["output"]?[0]?["value"]?.stringValue)
    let back = try await provider.answer(FakeOpenIDProvider.Request("GET", address)).headers["Location"]
    let query = try #require(back?.split(separator: "?").last)
    let id = try #require(step.json["authId"])
    return (["authId": id, "callbacks": step.json["callbacks"] ?? []], String(query))
  }

  @Test func `the person leaves, comes back with a code, and the journey goes on with who it is`()
    async throws
  {
    try await run { provider, client in
      let (reply, query) = try await leave(provider, client)
      let next = try await post(client, query, reply)
      #expect(next.status == 200 && next.json["callbacks"]?[0]?["type"] == "NameCallback")
      #expect(provider.requests("userinfo").count == 1)
      // The step is used up, and with it state, nonce and verifier.
      let again = try await post(client, query, reply)
      #expect(again.status == 401)
      #expect(provider.requests("access_token").count == 1)
    }
  }

  @Test func `a redirect of one sign-in does not go on with another`() async throws {
    try await run { provider, client in
      let mine = try await leave(provider, client)
      let attackers = try await leave(provider, client)
      let answer = try await post(client, attackers.query, mine.reply)
      #expect(answer.status == 401)
      #expect(provider.requests("access_token").isEmpty)
    }
  }

  @Test func `an older social node has an account made once, and finds it from then on`() async throws {
    try await run { provider, client in
      provider.lie { behaviour in
        behaviour.userinfo = [
          "sub": "ada", "given_name": "Ada", "family_name": "Byron", "email": "ada@example.com",
          "email_verified": true,
        ]
      }
      var (reply, query) = try await leave(provider, client, journey: "Social")
      var step = try await post(client, query, reply)
      // A password that differs, one that the server's policy refuses, and a good one.
      for (first, second, place) in [
        ("a good password 1", "a good password 2", 0), ("short", "short", 1),
        ("a good password 1", "a good password 1", 1),
      ] {
        var callbacks = try #require(step.json["callbacks"]?.arrayValue, "\(step.json.text)")
        for (index, text) in [(place, first), (place + 1, second)] {
          var callback = try #require(callbacks[index].objectValue)
          #expect(callback["type"] == "PasswordCallback")
          let name = try #require(callback["input"]?[0]?["name"])
          callback["input"] = [["name": name, "value": .string(text)]]
          callbacks[index] = .object(callback)
        }
        let id = try #require(step.json["authId"])
        step = try await post(client, "", ["authId": id, "callbacks": .array(callbacks)])
      }
      #expect(step.json["tokenId"] != nil, "\(step.json.text)")
      (reply, query) = try await leave(provider, client, journey: "Social")
      let again = try await post(client, query, reply)
      #expect(again.json["tokenId"] != nil, "\(again.json.text)")
      #expect(provider.requests("access_token").count == 2)
      // Who differs in case only is somebody else, for whom no second account of that name's link is made.
      provider.lie { behaviour in
        behaviour.claims = { $0["sub"] = "ADA" }
        behaviour.userinfo["sub"] = "ADA"
      }
      (reply, query) = try await leave(provider, client, journey: "Social")
      let other = try await post(client, query, reply)
      #expect(other.json["callbacks"]?[0]?["type"] == "PasswordCallback", "\(other.json.text)")
    }
  }
}
