internal import BindingFormats
internal import Foundation
internal import StrictJSON
internal import WebAddresses

/// The facts of a request that conditions look at, read once for all policies.
struct PolicyFacts {
  let requester: PolicyRequest.Requester
  let environment: [String: [String]]
  let realm: String
  let now: Date

  /// `nil` when the request names no address, or an invalid one.
  let address: IPAddress?

  /// The scopes in the environment's `scope`.
  let scopes: Set<String>

  /// The greatest cost of one value of a subject or condition.
  let weight: Int

  /// The account's attributes as texts, by their names in lower case.
  private let attributes: [String: [String]]

  init(_ request: PolicyRequest) {
    requester = request.requester
    environment = request.environment
    (realm, now) = (request.realm, request.now)
    let given = request.environment["requestIp"] ?? request.environment["IP"]
    address = IPAddress(given.map { $0.first ?? "" } ?? request.address)
    scopes = Set((request.environment["scope"] ?? []).flatMap { $0.split(separator: " ").map(String.init) })
    weight = 20 + JSONValue.object(request.requester.claims).text.utf8.count / 16
    var attributes: [String: [String]] = [:]
    for (name, value) in request.requester.account ?? [:] where !value.isNull {
      attributes[name.lowercased(), default: []] += Self.texts(of: value)
    }
    self.attributes = attributes
  }

  /// The directory's names for attributes that accounts store under another name.
  private static let names = ["uid": "username", "inetuserstatus": "accountstatus"]

  func values(of attribute: String) -> [String] {
    let name = attribute.lowercased()
    return attributes[name] ?? Self.names[name].flatMap { attributes[$0] } ?? []
  }

  /// Whether the account is the one that a universal id names.
  func isAccount(_ id: UniversalID) -> Bool {
    guard let account = requester.account, id.isIn(realm: realm) else { return false }
    if account["_id"]?.stringValue == id.username { return true }
    guard let name = account["userName"]?.stringValue else { return false }
    return UniversalID(username: name, realm: realm) == id
  }

  static func texts(of value: JSONValue) -> [String] {
    (value.arrayValue ?? [value]).map { $0.stringValue ?? $0.text }
  }
}

/// Whether a condition holds. The verdict is `unknown` when this server lacks the condition's type, or when facts are missing.
///
/// The negation of `unknown` is `unknown`, so that no policy allows anything because something could not be decided.
package enum Verdict: Sendable, Comparable {
  case fails
  case unknown
  case holds

  init(_ holds: Bool) { self = holds ? .holds : .fails }

  /// The lowest verdict: one part that fails decides, then one that is unknown.
  static func all(_ parts: some Sequence<Verdict>) -> Verdict { parts.min() ?? .holds }

  /// The highest verdict: one part that holds decides, then one that is unknown.
  static func any(_ parts: some Sequence<Verdict>) -> Verdict { parts.max() ?? .fails }

  static prefix func ! (verdict: Verdict) -> Verdict {
    switch verdict {
    case .holds: .fails
    case .fails: .holds
    case .unknown: .unknown
    }
  }
}
