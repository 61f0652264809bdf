internal import Bytes
internal import Foundation

/// Finds the ``Route`` of a path. Made once, at start; the realms may change.
///
/// Not Hummingbird's router, because realms appear in the middle of the path in several spellings, because a path segment may be
/// an account's distinguished name, and because that router answers 404 for a method that a resource does not have.
struct RouteTable: Sendable {
  private let realms: RealmDirectory
  let all: [Route]

  /// Whole paths, by their number of segments.
  private let whole: [Int: [Route]]

  /// Paths below the realm, by what stands before it and by their number of segments.
  private let resources: [String: [Int: [Route]]]

  /// How the paths of streams end.
  private let streamEndings: [String]

  /// What a path names.
  struct Match {
    let route: Route

    /// The realm's name as configured; `nil` if the path did not name it, so that the query may.
    let realm: String?
    let realmForm: RealmForm
    let parameters: [String: String]
  }

  /// Of two routes that fit a path, the first counts.
  init(_ endpoints: [any Endpoint], realms: RealmDirectory) {
    self.realms = realms
    all = endpoints.flatMap(\.routes)
    streamEndings = all.filter(\.isStream).map { "/" + $0.pattern.joined(separator: "/") }
    whole = Dictionary(grouping: all.filter(\.isWholePath), by: \.pattern.count)
    resources = Dictionary(grouping: all.filter { !$0.isWholePath }, by: \.base).mapValues {
      Dictionary(grouping: $0, by: \.pattern.count)
    }
  }

  /// Whether the path may be a stream's. Much cheaper than ``match(path:)``, and no promise that there is such a resource.
  func mayBeStream(path: String) -> Bool { streamEndings.contains { path.hasSuffix($0) } }

  /// - Throws: 404 for an unknown path or realm, 400 for a path that is not UTF-8 when decoded.
  func match(path: String) throws(ErrorResponse) -> Match {
    var rest = try Self.segments(of: path)[...]
    if let (route, parameters) = Self.find(rest, in: whole) {
      return Match(route: route, realm: "root", realmForm: .short, parameters: parameters)
    }
    guard rest.popFirst() == "am", let resources = rest.popFirst().flatMap({ self.resources[$0] }) else {
      throw Self.unknownPath
    }
    let form = RealmForm(of: rest)
    let realm = try takeRealm(from: &rest, before: resources)
    guard let (route, parameters) = Self.find(rest, in: resources) else { throw Self.unknownPath }
    return Match(route: route, realm: realm, realmForm: form, parameters: parameters)
  }

  private static func find(
    _ segments: ArraySlice<String>, in routes: [Int: [Route]]
  ) -> (Route, [String: String])? {
    for route in routes[segments.count] ?? [] {
      if let parameters = route.parameters(of: segments) { return (route, parameters) }
    }
    return nil
  }

  /// Takes the realm off the front: `realms/root/realms/alpha`, `realms/alpha`, `alpha`, or nothing, which gives `nil`.
  private func takeRealm(
    from rest: inout ArraySlice<String>, before resources: [Int: [Route]]
  ) throws(ErrorResponse) -> String? {
    var names: [String] = []
    while rest.first == "realms" {
      guard rest.count > 1 else { throw Self.unknownPath }
      names.append(rest[rest.startIndex + 1])
      rest = rest.dropFirst(2)
    }
    if names.isEmpty {
      guard let first = rest.first, Self.find(rest, in: resources) == nil else { return nil }
      guard Self.find(rest.dropFirst(), in: resources) != nil else { throw Self.unknownPath }
      names = [first]
      rest = rest.dropFirst()
    }
    if names.count > 1, names[0].lowercased() == "root" { names.removeFirst() }
    guard names.count == 1, let realm = realms.realm(key: names[0].lowercased()) else {
      throw .noSuchRealm
    }
    return realm
  }

  private static let unknownPath = ErrorResponse.notFound("There is no such resource.")

  private static func segments(of path: String) throws(ErrorResponse) -> [String] {
    var segments: [String] = []
    for raw in path.parts(separatedBy: UInt8(ascii: "/")) where !raw.isEmpty {
      guard segments.count < 32 else { throw unknownPath }
      let isPlain = !raw.utf8.contains(UInt8(ascii: "%"))
      guard let segment = isPlain ? String(raw) : String(raw).removingPercentEncoding else {
        throw .badRequest("The path has a bad percent-encoding.")
      }
      segments.append(segment)
    }
    return segments
  }
}
