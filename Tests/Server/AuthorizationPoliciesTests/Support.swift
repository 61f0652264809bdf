import AuthorizationPolicies
import Foundation
import StrictJSON
import Testing

/// A realm with one policy set, `orders`, whose policies a test writes.
struct Policies {
  let realm: RealmPolicies

  /// Tuesday, 24 November 2026, 12:00 GMT.
  static let noon = Date(timeIntervalSince1970: 1_795_521_600)

  static let mira: JSONObject = [
    "_id": "f00d", "userName": "Mira", "mail": "mira@example.com", "accountStatus": "active", "age": 42,
    "roles": ["clerk", "buyer"],
  ]

  init(_ policies: JSONObject...) throws {
    var members = JSONObject()
    for (index, policy) in policies.enumerated() {
      var policy = policy
      let name = policy["name"]?.stringValue ?? "p\(index)"
      policy["name"] = .string(name)
      members[name] = .object(policy)
    }
    let file: JSONObject = [
      "policyset": ["orders": ["name": "orders", "applicationType": "iPlanetAMWebAgentService"]],
      "policy": .object(members),
    ]
    realm = try RealmPolicies([("orders.authz.json", JSONValue.object(file).text.utf8.map { $0 })])
  }

  /// A policy that allows `GET` of everything to everybody signed in, changed by `members`.
  static func policy(_ members: JSONObject = [:]) -> JSONObject {
    var policy: JSONObject = [
      "active": true, "applicationName": "orders", "resources": ["*"], "actionValues": ["GET": true],
      "subject": ["type": "AuthenticatedUsers"],
    ]
    policy.merge(members)
    return policy
  }

  static func request(
    _ resources: [String] = ["https://shop.example.com/orders/1"],
    _ requester: PolicyRequest.Requester = PolicyRequest.Requester(account: mira),
    environment: [String: [String]] = [:], address: String = "192.0.2.7", now: Date = noon
  ) -> PolicyRequest {
    PolicyRequest(
      requester: requester, application: "orders", resources: resources, environment: environment,
      address: address, realm: "alpha", now: now)
  }

  func decide(_ request: PolicyRequest = request()) throws -> PolicyDecision {
    var budget = PolicyBudget()
    return try #require(try realm.evaluate(request, &budget).first)
  }

  /// `true`, `false`, or `nil` when no policy speaks of it.
  static func answer(_ members: JSONObject, _ request: PolicyRequest = request()) throws -> Bool? {
    try Policies(policy(members)).decide(request).actions["GET"]
  }

  static func session(level: Int = 0, age: TimeInterval = 60, _ properties: JSONObject = [:])
    -> PolicyRequest.Requester
  {
    PolicyRequest.Requester(
      account: mira,
      session: PolicyRequest.Session(
        level: level, createdAt: noon.addingTimeInterval(-age), properties: properties))
  }
}
