internal import Bytes
internal import Foundation

/// What a URL names: a resource in a realm.
///
/// Not the framework's router, because realms stand in the middle of the path in several spellings, and because a path
/// segment may be an account's distinguished name.
struct Route: Equatable {
  enum Resource: Equatable {
    case health
    case home
    case page(String)
    case serverInfo(String)
    case authenticate
    case sessions
    case users
    case user(String)
    case userRoles(user: String)
    case journeys
    case realms
    case realm(String)
    case boundDevices(user: String)
    case boundDevice(user: String, id: String)
    case pushDevices(user: String)
    case pushDevice(user: String, id: String)
    case webAuthnDevices(user: String)
    case webAuthnDevice(user: String, id: String)
    case oathDevices(user: String)
    case oathDevice(user: String, id: String)
    case absentDevices(user: String)
    case absentDevice(user: String)
    case push
    case pushStream
    case pushDecisions
    case evidence
    case evidenceEntry(number: String)
    case pushDelivery
    case applications
    case application(String)
    case transactions
    case transaction(String)
  }

  /// The realm's name as configured.
  let realm: String

  /// Whether the path named the realm; if it did not, the query may.
  let namesRealm: Bool
  let resource: Resource
}

/// Finds the ``Route`` of a path. Made once, at start; the realms may change.
struct RouteTable: Sendable {
  /// The name of the realm of that lower-case form.
  private let name: @Sendable (_ key: String) -> String?

  init(realms: RealmDirectory) { name = { realms.realm(key: $0) } }

  init(realms: [String]) {
    let realms = Dictionary(realms.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    name = { realms[$0] }
  }

  /// The configured name of the realm that `path` (`/`, `/alpha`) or `name` (`alpha`) means; `nil` when there is none.
  func realm(_ name: String) -> String? {
    let given = name.hasPrefix("/") ? String(name.dropFirst()) : name
    return self.name(given.isEmpty ? "root" : given.lowercased())
  }

  /// - Throws: 404 for an unknown path or realm, 400 for a path that is not UTF-8 when decoded.
  func route(path: String) throws(ErrorResponse) -> Route {
    var rest = try Self.segments(of: path)[...]
    if rest.isEmpty || rest == ["am"] { return Route(realm: "root", namesRealm: true, resource: .home) }
    if rest == ["health"] { return Route(realm: "root", namesRealm: true, resource: .health) }
    guard rest.popFirst() == "am" else { throw Self.unknownPath }
    if rest == ["health"] { return Route(realm: "root", namesRealm: true, resource: .health) }
    if rest.first == "XUI", rest.count <= 2 {
      return Route(realm: "root", namesRealm: true, resource: .page(rest.dropFirst().first ?? ""))
    }
    guard rest.popFirst() == "json" else { throw Self.unknownPath }
    let named = try takeRealm(from: &rest)
    guard let resource = Self.resource(rest) else { throw Self.unknownPath }
    return Route(realm: named ?? "root", namesRealm: named != nil, resource: resource)
  }

  /// Takes the realm off the front: `realms/root/realms/alpha`, `realms/alpha`, `alpha`, or nothing, which gives `nil`.
  private func takeRealm(from rest: inout ArraySlice<String>) throws(ErrorResponse) -> String? {
    var names: [String] = []
    while rest.first == "realms" {
      guard rest.count > 1 else { throw Self.unknownPath }
      names.append(rest[rest.startIndex + 1])
      rest = rest.dropFirst(2)
    }
    if names.isEmpty {
      guard let first = rest.first, Self.resource(rest) == nil else { return nil }
      guard Self.resource(rest.dropFirst()) != nil else { throw Self.unknownPath }
      names = [first]
      rest = rest.dropFirst()
    }
    if names.count > 1, names[0].lowercased() == "root" { names.removeFirst() }
    guard names.count == 1, let realm = name(names[0].lowercased()) else {
      throw .notFound("There is no such realm.")
    }
    return realm
  }

  private static func resource(_ segments: ArraySlice<String>) -> Route.Resource? {
    let segments = Array(segments)
    switch segments.first {
    case "authenticate" where segments.count == 1: return .authenticate
    case "global-config" where segments.prefix(2) == ["global-config", "realms"]:
      return segments.count == 2 ? .realms : segments.count == 3 ? .realm(segments[2]) : nil
    case "realm-config" where segments == journeys: return .journeys
    case "sessions" where segments.count == 1: return .sessions
    case "applications" where segments.count == 1: return .applications
    case "applications" where segments.count == 2: return .application(segments[1])
    case "transactions" where segments.count == 1: return .transactions
    case "transactions" where segments.count == 2: return .transaction(segments[1])
    case "serverinfo" where segments.count == 2: return .serverInfo(segments[1])
    case "push" where segments == ["push", "sns", "message"]: return .push
    case "push" where segments == ["push", "stream"]: return .pushStream
    case "audit" where segments == ["audit", "push"]: return .pushDecisions
    case "push" where segments == ["push", "delivery"]: return .pushDelivery
    case "audit" where segments.count == 2 && segments[1] == "evidence": return .evidence
    case "audit" where segments.count == 3 && segments[1] == "evidence":
      return .evidenceEntry(number: segments[2])
    case "users": break
    default: return nil
    }
    switch segments.count {
    case 1: return .users
    case 2: return .user(segments[1])
    default: return devices(of: segments[1], Array(segments.dropFirst(2)))
    }
  }

  private static func devices(of user: String, _ rest: [String]) -> Route.Resource? {
    if rest == ["roles"] { return .userRoles(user: user) }
    if rest == boundDevices { return .boundDevices(user: user) }
    if rest == pushDevices { return .pushDevices(user: user) }
    if rest == webAuthnDevices { return .webAuthnDevices(user: user) }
    if rest == oathDevices { return .oathDevices(user: user) }
    if UnsupportedDevicesEndpoint.paths.contains(rest) { return .absentDevices(user: user) }
    guard let id = rest.last else { return nil }
    let kind = Array(rest.dropLast())
    if kind == boundDevices { return .boundDevice(user: user, id: id) }
    if kind == pushDevices { return .pushDevice(user: user, id: id) }
    if kind == webAuthnDevices { return .webAuthnDevice(user: user, id: id) }
    if kind == oathDevices { return .oathDevice(user: user, id: id) }
    return UnsupportedDevicesEndpoint.paths.contains(kind) ? .absentDevice(user: user) : nil
  }

  private static let journeys = ["realm-config", "authentication", "authenticationtrees", "trees"]
  private static let boundDevices = ["devices", "2fa", "binding"]
  private static let pushDevices = ["devices", "2fa", "push"]
  private static let webAuthnDevices = ["devices", "2fa", "webauthn"]
  private static let oathDevices = ["devices", "2fa", "oath"]

  private static let unknownPath = ErrorResponse.notFound("There is no such resource.")

  private static func segments(of path: String) throws(ErrorResponse) -> [String] {
    var segments: [String] = []
    for raw in path.split(separator: "/") {
      guard segments.count < 32 else { throw unknownPath }
      guard raw.utf8.contains(UInt8(ascii: "%")) else {
        segments.append(String(raw))
        continue
      }
      guard let decoded = String(raw).removingPercentEncoding else {
        throw .badRequest("The path has a bad percent-encoding.")
      }
      segments.append(decoded)
    }
    return segments
  }
}
