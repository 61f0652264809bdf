internal import AuthorizationPolicies
internal import BindingFormats
internal import Crypto
internal import JourneyEngine
internal import JourneyScripts
internal import JourneyStore
internal import StrictJSON

/// `openidm` and `idRepository`: the managed users of the journey's realm, and nothing else.
struct ScriptIdentities {
  let objects: any ManagedObjects
  let realm: String

  /// The most objects that one query returns.
  private static let mostResults = 1000

  func answer(_ call: ScriptCall) async throws -> JSONValue {
    switch call.function {
    case "openidm.read":
      let resource = try resource(call)
      let object = try await objects.read(resource, realm: realm)
      return object.map { .object(Self.chosen(try? call.texts(1), of: $0)) } ?? .null
    case "openidm.query":
      let size = try call.number(3, in: 0...Self.mostResults)
      let found = try await objects.query(
        try resource(call), filter: try call.text(1), fields: try call.texts(2),
        limit: size == 0 ? Self.mostResults : size, realm: realm)
      return .array(found.map(JSONValue.object))
    case "openidm.create":
      return .object(
        try await objects.create(
          try resource(call), id: try call.optionalText(1), content: try call.object(2), realm: realm))
    case "openidm.update":
      return .object(
        try await objects.update(
          try resource(call), revision: try call.optionalText(1), content: try call.object(2), realm: realm))
    case "openidm.patch":
      return .object(
        try await objects.patch(
          try resource(call), revision: try call.optionalText(1),
          operations: try call.list(2).compactMap(\.objectValue), realm: realm))
    case "openidm.delete":
      return .object(
        try await objects.delete(try resource(call), revision: try call.optionalText(1), realm: realm))
    case "identity.name":
      return try await object(named: try call.text(0))?.name.map { .string($0) } ?? .null
    case "identity.id":
      return .string(UniversalID(username: try call.text(0), realm: realm).text)
    case "identity.read": return .array(try await values(of: try call.text(1), named: try call.text(0)))
    case "identity.store":
      try await store(try call.list(1), in: try call.text(0))
      return .null
    default: throw NodeError("\(call.function) is not a call that scripts have")
    }
  }

  /// The resource that the call names: `managed/alpha_user` or `managed/user` of the journey's realm, with or without an id.
  private func resource(_ call: ScriptCall) throws(NodeError) -> String {
    let text = try call.text(0)
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[0] == "managed",
      parts[1] == "user" || parts[1] == "\(realm)_user",
      parts.count == 2 || !parts[2].isEmpty
    else {
      throw NodeError(
        "\(call.function): scripts reach managed/user and managed/\(realm)_user here, not \(text.quoted)")
    }
    return text
  }

  private static func chosen(_ fields: [String]?, of object: JSONObject) -> JSONObject {
    guard let fields, !fields.isEmpty else { return object }
    return JSONObject(object.filter { $0.name.hasPrefix("_") || fields.contains($0.name) }.map { ($0, $1) })
  }

  // MARK: One person

  struct Person {
    let resource: String
    let object: JSONObject

    var name: String? { object["userName"]?.stringValue }
  }

  /// Finds an account by name, by universal id, or by `_id`.
  func object(named text: String) async throws -> Person? {
    let name = UniversalID(text)?.username ?? text
    let found = try await objects.query(
      "managed/user", filter: "userName eq \(JSONValue.string(name).text)", fields: [], limit: 2, realm: realm
    )
    let object: JSONObject?
    if found.count == 1 {
      object = found[0]
    } else if name.contains("/") || name.isEmpty {
      object = nil
    } else {
      object = try await objects.read("managed/user/\(name)", realm: realm)
    }
    guard let object, let id = object["_id"]?.stringValue else { return nil }
    return Person(resource: "managed/user/\(id)", object: object)
  }

  private func person(named text: String) async throws -> Person {
    guard let person = try await object(named: text) else {
      throw NodeError("there is no identity \(text.quoted)")
    }
    return person
  }

  /// PingAM's names of attributes that managed users have under other names.
  private static let names = [
    "uid": "userName", "inetuserstatus": "accountStatus", "telephonenumber": "telephoneNumber",
    "givenname": "givenName", "userpassword": "password",
  ]

  private func values(of attribute: String, named text: String) async throws -> [JSONValue] {
    let object = try await person(named: text).object
    let name = Self.names[attribute.lowercased()] ?? attribute
    guard
      let value = object[name] ?? object.first(where: { $0.name.lowercased() == name.lowercased() })?.value,
      !value.isNull
    else { return [] }
    return (value.arrayValue ?? [value]).map { $0.stringValue == nil ? .string($0.text) : $0 }
  }

  /// - Parameter changes: `["set" | "add", attribute, values]`.
  private func store(_ changes: [JSONValue], in text: String) async throws {
    let person = try await person(named: text)
    var operations: [JSONObject] = []
    for change in changes {
      guard let kind = change[0]?.stringValue, let attribute = change[1]?.stringValue,
        let values = change[2]?.arrayValue
      else { throw NodeError("identity.store: a change does not have its form") }
      let name = Self.names[attribute.lowercased()] ?? attribute
      let field = JSONValue.string("/" + name.replacing("~", with: "~0").replacing("/", with: "~1"))
      guard !values.isEmpty else {
        if person.object[name] != nil { operations.append(["operation": "remove", "field": field]) }
        continue
      }
      let isList = values.count > 1 || person.object[name]?.arrayValue != nil
      let old = kind == "add" ? person.object[name]?.arrayValue ?? [] : []
      operations.append([
        "operation": "replace", "field": field, "value": isList ? .array(old + values) : values[0],
      ])
    }
    guard !operations.isEmpty else { return }
    // The revision lets the change fail if the record was changed meanwhile.
    _ = try await objects.patch(
      person.resource, revision: person.object["_rev"]?.stringValue, operations: operations, realm: realm)
  }
}

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
      // A token that is invalid, has ended or belongs to another realm identifies nobody, as everywhere else.
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

  /// The account of that name; `nil` for an inactive one, too, because it can do nothing.
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
