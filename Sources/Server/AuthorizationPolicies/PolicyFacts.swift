internal import BindingFormats
internal import Foundation
internal import StrictJSON
internal import WebAddresses

/// A request as conditions see it: read once for all policies.
struct PolicyFacts {
  let requester: PolicyRequest.Requester
  let environment: [String: [String]]
  let realm: String
  let now: Date

  /// `nil` when the request names no address, or an invalid one.
  let address: IPAddress?

  /// What the request has in `scope`.
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

  /// The directory's names of attributes that have other names in accounts.
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

/// Whether a condition holds, where the answer may not be known: its type is not one that this server has, or the facts are missing.
///
/// "Not" of what is unknown is unknown, so that no policy allows anything because something could not be decided.
package enum Verdict: Sendable, Comparable {
  case fails
  case unknown
  case holds

  init(_ holds: Bool) { self = holds ? .holds : .fails }

  /// The first part that fails decides; else one that is unknown.
  static func all(_ parts: some Sequence<Verdict>) -> Verdict { parts.min() ?? .holds }

  /// The first part that holds decides; else one that is unknown.
  static func any(_ parts: some Sequence<Verdict>) -> Verdict { parts.max() ?? .fails }

  static prefix func ! (verdict: Verdict) -> Verdict {
    switch verdict {
    case .holds: .fails
    case .fails: .holds
    case .unknown: .unknown
    }
  }
}
