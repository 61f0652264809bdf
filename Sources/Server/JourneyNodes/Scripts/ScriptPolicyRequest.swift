internal import AuthorizationPolicies
internal import Crypto
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Reads a script's arguments to `policy.evaluate`, and adds the facts about account and session that policies need.
struct ScriptPolicyRequest {
  let identities: ScriptIdentities
  let services: NodeServices

  /// Where the journey's request came from.
  let address: String

  /// Most facts of an environment, and longest text in it.
  private static let mostFacts = 200
  private static let longestFact = 2048

  /// Most bytes of claims.
  private static let mostClaims = 16_384

  func request(of call: ScriptCall) async throws -> PolicyRequest {
    PolicyRequest(
      requester: try await requester(try call.object(0)),
      application: try call.optionalText(1) ?? RealmPolicies.standardApplication,
      resources: try call.texts(2), environment: try environment(try call.object(3)), address: address,
      realm: identities.realm, now: services.clock())
  }

  private func requester(_ subject: JSONObject) async throws -> PolicyRequest.Requester {
    let given = ["name", "ssoToken", "jwt", "claims"].filter { subject[$0].map { !$0.isNull } ?? false }
    guard given.count == 1, let form = given.first else {
      throw NodeError(
        "policy.evaluate: the subject is a name, or an object with one of ssoToken and claims")
    }
    switch form {
    case "ssoToken":
      // A token that is none, has ended or is another realm's is nobody's, as at any other door.
      guard let token = subject["ssoToken"]?.stringValue,
        let session = try await services.store.session(
          tokenHash: Array(SHA256.hash(data: Array(token.utf8))), now: services.clock()),
        session.realm.lowercased() == identities.realm.lowercased()
      else { return PolicyRequest.Requester() }
      return PolicyRequest.Requester(
        account: try await account(session.username),
        session: PolicyRequest.Session(
          level: session.authLevel, createdAt: session.createdAt, properties: session.properties))
    case "claims":
      guard let claims = subject["claims"]?.objectValue,
        JSONValue.object(claims).text.utf8.count <= Self.mostClaims
      else {
        throw NodeError("policy.evaluate: claims must be an object of at most \(Self.mostClaims) bytes")
      }
      var requester = PolicyRequest.Requester(claims: claims)
      if let name = claims["sub"]?.stringValue { requester.account = try await account(name) }
      return requester
    case "name":
      guard let name = subject["name"]?.stringValue, !name.isEmpty else {
        throw NodeError("policy.evaluate: the subject's name must be a text")
      }
      return PolicyRequest.Requester(account: try await account(name))
    default:
      throw NodeError(
        "policy.evaluate: verify the JWT with jwtValidator.validateJwtClaims, and give what it answers as claims"
      )
    }
  }

  /// `nil` also for an inactive account: it can do nothing.
  private func account(_ name: String) async throws -> JSONObject? {
    guard let object = try await identities.object(named: name)?.object,
      object["accountStatus"]?.stringValue != "inactive"
    else { return nil }
    return object
  }

  private func environment(_ object: JSONObject) throws(NodeError) -> [String: [String]] {
    var environment: [String: [String]] = [:]
    var count = 0
    for (name, values) in object {
      let texts = (values.arrayValue ?? []).compactMap(\.stringValue)
      count += texts.count + 1
      guard count <= Self.mostFacts, texts.allSatisfy({ $0.utf8.count <= Self.longestFact }) else {
        throw NodeError(
          "policy.evaluate: the environment has at most \(Self.mostFacts) values of \(Self.longestFact) bytes"
        )
      }
      environment[name] = texts
    }
    return environment
  }
}
