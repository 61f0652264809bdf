import Assembly
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JourneyNodes
import NIOCore
import OpenIDFixtures
import PingJourney
import PingOrchestrate
import PingStorage
import SealringTesting
import StrictJSON
import Testing

@testable import PingBrowser

/// A person in a browser: goes to the provider, agrees, and comes back with the redirect that `change` makes of it.
final class AgreeingBrowser: BrowserLauncherProtocol {
  let visited = Locked<[String]>([])
  private let provider: FakeOpenIDProvider
  private let change: @Sendable (String) -> String

  nonisolated init(_ provider: FakeOpenIDProvider, change: @escaping @Sendable (String) -> String = { $0 }) {
    (self.provider, self.change) = (provider, change)
  }

  var isInProgress: Bool { false }
  func reset() {}
  func handleAppActivation() {}

  func launch(
    url: URL, customParams: [String: String]?, browserType: BrowserType, browserMode: BrowserMode,
    callbackURLScheme: String
  ) async throws -> URL {
    visited.withLock { $0.append(url.absoluteString) }
    let answer = try await provider.answer(FakeOpenIDProvider.Request("GET", url.absoluteString))
    return try #require(URL(string: change(answer.headers["Location"] ?? "")))
  }
}

/// A provider and a server on this machine, which speak by HTTP.
enum World {
  static let redirect = "com.example.app://oauth2redirect"
  private static let (success, failure): (JSONValue, JSONValue) = (
    "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a"
  )

  /// Chooses a provider, and asks for a name when nobody has an account there, or makes an account.
  private static func journey(
    _ name: String, _ clientType: JSONValue, makesAccount: Bool = false
  ) -> JSONObject {
    [
      "tree": [
        "_id": .string(name), "entryNodeId": "select",
        "nodes": [
          "select": [
            "nodeType": "SelectIdPNode",
            "connections": ["socialAuthentication": "handle", "localAuthentication": failure],
          ],
          "handle": [
            "nodeType": "SocialProviderHandlerNode",
            "connections": [
              "ACCOUNT_EXISTS": success, "NO_ACCOUNT": makesAccount ? "provision" : "name",
              "SOCIAL_AUTH_INTERRUPTED": "other",
            ],
          ],
          "name": ["nodeType": "UsernameCollectorNode", "connections": ["outcome": failure]],
          "other": ["nodeType": "PasswordCollectorNode", "connections": ["outcome": failure]],
          "provision": ["nodeType": "ProvisionDynamicAccountNode", "connections": ["outcome": success]],
        ],
      ],
      "nodes": [
        "select": ["_id": "select", "_type": ["_id": "SelectIdPNode"]],
        "handle": [
          "_id": "handle", "_type": ["_id": "SocialProviderHandlerNode"], "clientType": clientType,
        ],
        "name": ["_id": "name", "_type": ["_id": "UsernameCollectorNode"]],
        "other": ["_id": "other", "_type": ["_id": "PasswordCollectorNode"]],
        "provision": ["_id": "provision", "_type": ["_id": "ProvisionDynamicAccountNode"]],
      ],
    ]
  }

  /// Makes an account for whoever has none.
  private static let social: JSONObject = [
    "tree": [
      "_id": "Social", "entryNodeId": "google",
      "nodes": [
        "google": [
          "nodeType": "SocialGoogleNode",
          "connections": ["ACCOUNT_EXISTS": success, "NO_ACCOUNT": "provision"],
        ],
        "provision": ["nodeType": "ProvisionDynamicAccountNode", "connections": ["outcome": success]],
      ],
    ],
    "nodes": [
      "google": [
        "_id": "google", "_type": ["_id": "SocialGoogleNode"], "provider": "google", "clientId": "sealring",
        "cfgAttributeMappingConfiguration": [
          "sub": "iplanet-am-user-alias-list", "given_name": "givenName", "family_name": "sn",
          "email": "mail",
        ],
      ],
      "provision": ["_id": "provision", "_type": ["_id": "ProvisionDynamicAccountNode"]],
    ],
  ]

  /// - Parameter redirect: of the provider's configuration.
  static func run(
    redirect: String = redirect,
    _ body: @escaping @Sendable (FakeOpenIDProvider, TestServer) async throws -> Void
  ) async throws {
    let current = Locked<FakeOpenIDProvider?>(nil)
    let responder = CallbackResponder { (request: Hummingbird.Request, _: BasicRequestContext) in
      guard let provider = current.withLock({ $0 }), let path = provider.issuer.range(of: "/oauth2") else {
        throw HTTPError(.notFound)
      }
      let received = try await request.body.collect(upTo: 1 << 20)
      var headers: [String: String] = [:]
      for field in request.headers { headers[field.name.canonicalName] = field.value }
      let answer = try await provider.answer(
        FakeOpenIDProvider.Request(
          request.method.rawValue, provider.issuer[..<path.lowerBound] + request.uri.string,
          headers: headers, body: String(buffer: received)))
      return Hummingbird.Response(
        status: .init(code: answer.status), body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
    }
    let application = Application(
      responder: responder, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
    try await application.test(.live) { client in
      let provider = FakeOpenIDProvider(issuer: "http://127.0.0.1:\(try #require(client.port))/oauth2")
      current.withLock { $0 = provider }
      let folder = try TemporaryFolder.make()
      for (name, journey) in [
        ("Browser", Self.journey("Browser", "BROWSER")), ("Native", Self.journey("Native", "NATIVE")),
        ("Social", Self.social),
        ("BrowserAccount", Self.journey("BrowserAccount", "BROWSER", makesAccount: true)),
        ("NativeAccount", Self.journey("NativeAccount", "NATIVE", makesAccount: true)),
      ] { try folder.write(journey.serialized, to: "alpha/\(name).journey.json") }
      let file: JSONObject = [
        "op": ["issuer": .string(provider.issuer), "clientId": "sealring", "redirectURI": .string(redirect)]
      ]
      let settings = try IdentityProvider.parse(file.serialized) { _ in nil }
      var providers = IdentityProviders()
      try providers.add(settings, realm: "alpha")
      let configured = providers
      try await TestServer.run(clock: TestClock(start: Date()), journeys: folder.url) {
        $0.identityProviders = configured
      } _: { server in
        try await body(provider, server)
      }
    }
  }

  static func journey(at server: TestServer) -> Journey {
    Journey.createJourney { config in
      config.serverUrl = server.address
      config.realm = "alpha"
      config.cookie = server.cookieName
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
  }
}
