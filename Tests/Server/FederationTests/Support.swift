import Bytes
import CommonFixtures
import Concurrency
import Foundation
import JourneyEngine
import OpenIDFixtures
import StrictJSON
import Testing

@testable import JourneyNodes

/// Accounts as a list, found by the one filter that the nodes use.
struct ListedAccounts: ManagedObjects {
  let accounts: Locked<[JSONObject]>

  init(_ accounts: [JSONObject] = []) { self.accounts = Locked(accounts) }

  func query(
    _ resource: String, filter: String, fields: [String], limit: Int, realm: String
  ) async throws -> [JSONObject] {
    let parts = filter.split(separator: " ", maxSplits: 2).map(String.init)
    let wanted = try JSONValue(parsing: parts[2])
    return accounts.withLock { accounts in
      accounts.filter { account in
        let value = account[String(parts[0].dropFirst())]
        return account["realm"]?.stringValue == realm
          && (value?.arrayValue ?? [value ?? .null]).contains {
            // As the real ones, without regard to case.
            $0.stringValue?.lowercased() == wanted.stringValue?.lowercased()
          }
      }
    }
  }

  func read(_ resource: String, realm: String) async throws -> JSONObject? { nil }
  func create(_ resource: String, id: String?, content: JSONObject, realm: String) async throws -> JSONObject
  { content }
  func update(
    _ resource: String, revision: String?, content: JSONObject, realm: String
  ) async throws -> JSONObject { content }
  func patch(
    _ resource: String, revision: String?, operations: [JSONObject], realm: String
  ) async throws -> JSONObject { [:] }
  func delete(_ resource: String, revision: String?, realm: String) async throws -> JSONObject { [:] }
}

/// Brings requests to the providers of the test.
struct FixtureTransport: ProviderTransport {
  let providers: [FakeOpenIDProvider]
  let asked = Locked<[String]>([])

  func send(_ request: ProviderRequest, limit: Int) async throws -> ProviderAnswer {
    asked.withLock { $0.append(request.url) }
    guard let provider = providers.first(where: { request.url.hasPrefix($0.issuer) }) else {
      throw ProviderUnreachable(reason: "no such server")
    }
    let headers = request.headers.map { ($0.name.lowercased(), $0.value) }
    let answer = try await provider.answer(
      FakeOpenIDProvider.Request(
        request.method, request.url, headers: Dictionary(headers) { $1 },
        body: String(decoding: request.body ?? [], as: UTF8.self)))
    guard answer.body.utf8.count <= limit else { throw ProviderUnreachable(reason: "too large") }
    return ProviderAnswer(status: answer.status, body: Array(answer.body.utf8))
  }
}

/// A realm with one provider, and a person in a browser.
struct FederationWorld {
  let provider = FakeOpenIDProvider(issuer: "https://op.example.com/oauth2")
  let transport: FixtureTransport
  let accounts: ListedAccounts
  let federation: FederationServices

  init(
    accounts: [JSONObject] = [], settings: JSONObject = [:], others: JSONObject = [:],
    transformer: (any ProfileTransforming)? = nil
  ) throws {
    transport = FixtureTransport(providers: [provider])
    self.accounts = ListedAccounts(accounts)
    var configured: JSONObject = [
      "issuer": "https://op.example.com/oauth2", "clientId": "sealring", "clientSecret": "shh:%",
      "redirectURI": "https://id.example.com/am/XUI/",
    ]
    configured.merge(settings)
    var all = others
    all["op"] = .object(configured)
    var providers = IdentityProviders()
    try providers.add(try IdentityProvider.parse(all.serialized) { _ in nil }, realm: "alpha")
    federation = FederationServices(
      providers: providers, identities: self.accounts, transformer: transformer, transport: transport,
      clock: { Date() }, randomBytes: SystemRandom.bytes)
  }

  func node(_ type: String, _ properties: JSONObject = [:], scripts: [String: JourneyScript] = [:]) throws
    -> Step
  {
    var definition = NodeDefinition(id: "n", type: type, properties: properties)
    definition.attachments = JourneyAttachments(scripts: scripts)
    let node: any JourneyNode =
      switch type {
      case "SelectIdPNode": try definition.selectIdPNode(federation)
      case "SocialProviderHandlerNode": try SocialProviderHandlerNode(definition, federation: federation)
      default: try SocialNode(definition, federation: federation)
      }
    return Step(node: node)
  }
}

/// One node, evaluated as the engine does.
struct Step {
  let node: any JourneyNode
  var state = JourneyState(shared: ["selectedIdp": "op"])
  var notes = JSONObject()
  var reasons: [String] = []
  var realm = "alpha"

  /// Whether the person has to prove themselves now.
  var isForced = false

  mutating func evaluate(_ parameters: [String: String] = [:], reply: [String: JSONValue]? = nil) async throws
    -> NodeResult
  {
    var request = RequestFacts(realm: realm, baseURL: "https://id.example.com/am")
    request.parameters = parameters.mapValues { [$0] }
    var context = NodeContext(
      nodeID: "n", request: request, reply: reply.map { CallbackReply(callbacks: [$0]) }, state: state,
      notes: notes)
    context.isForced = isForced
    defer { (state, notes, reasons) = (context.state, context.notes, reasons + context.reasons) }
    return try await node.evaluate(&context)
  }

  /// The address that the person is sent to.
  mutating func redirect() async throws -> String {
    guard case .callbacks(let callbacks) = try await evaluate(), callbacks.first?.type == "RedirectCallback"
    else {
      throw NotRedirected()
    }
    return try #require(callbacks[0].outputs.first?.value.stringValue)
  }

  struct NotRedirected: Error {}

  /// Signs the person in at `provider`, and comes back.
  mutating func signIn(at provider: FakeOpenIDProvider) async throws -> NodeResult {
    let redirect = try await redirect()
    let back =
      try await provider.answer(FakeOpenIDProvider.Request("GET", redirect)).headers["Location"] ?? ""
    return try await evaluate(FakeOpenIDProvider.Request("GET", back).query, reply: [:])
  }
}
