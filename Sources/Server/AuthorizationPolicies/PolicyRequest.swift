package import Foundation
package import StrictJSON

/// A policy request, with the facts that the caller knows.
package struct PolicyRequest: Sendable {
  /// A person or program that policies are about.
  package struct Requester: Sendable {
    /// The active account, or `nil`: `_id`, `userName` and its attributes.
    package var account: JSONObject?

    /// Claims that the caller vouches for.
    package var claims = JSONObject()

    /// The presented session, if it is valid.
    package var session: Session?

    package init(account: JSONObject? = nil, claims: JSONObject = [:], session: Session? = nil) {
      self.account = account
      self.claims = claims
      self.session = session
    }
  }

  /// The facts about a session that policies use.
  package struct Session: Sendable {
    package var level: Int
    package var createdAt: Date
    package var properties: JSONObject

    package init(level: Int, createdAt: Date, properties: JSONObject = [:]) {
      self.level = level
      self.createdAt = createdAt
      self.properties = properties
    }
  }

  package var requester: Requester

  /// The policy set.
  package var application: String
  package var resources: [String]

  /// Facts by name, such as `requestIp` and `scope`.
  package var environment: [String: [String]]

  /// The address that the request came from, used when the environment has none.
  package var address: String
  package var realm: String
  package var now: Date

  package init(
    requester: Requester, application: String, resources: [String],
    environment: [String: [String]] = [:], address: String = "", realm: String, now: Date
  ) {
    self.requester = requester
    self.application = application
    self.resources = resources
    self.environment = environment
    self.address = address
    self.realm = realm
    self.now = now
  }
}

/// What policies say about one resource.
package struct PolicyDecision: Sendable, Hashable {
  package let resource: String

  /// Whether each action is allowed or denied; actions that no policy names are left out.
  package internal(set) var actions: [String: Bool] = [:]
  package internal(set) var attributes: [String: [String]] = [:]

  /// Conditions under which more would be allowed.
  package internal(set) var advices: [String: [String]] = [:]

  /// The time until which the decision holds, in milliseconds since 1970.
  package internal(set) var timeToLive = Int64.max

  /// The decision in the platform's JSON form.
  package var json: JSONObject {
    func lists(_ lists: [String: [String]]) -> JSONValue {
      .object(
        JSONObject(lists.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value.map { .string($0) })) }))
    }
    return [
      "resource": .string(resource),
      "actions": .object(JSONObject(actions.sorted { $0.key < $1.key }.map { ($0.key, .bool($0.value)) })),
      "attributes": lists(attributes), "advices": lists(advices), "ttl": .integer(timeToLive),
    ]
  }
}

/// Why a request cannot be decided; the script receives it as an error.
package struct PolicyRequestError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
