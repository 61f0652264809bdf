internal import Bytes
internal import Foundation
package import JourneyFiles

/// Finds the ``Route`` of a path. Made once, at start; the realms may change.
///
/// Not Hummingbird's router, because realms appear in the middle of the path in several spellings, because a path segment may be
/// an account's distinguished name, and because that router answers 404 for a method that a resource does not have.
package struct RouteTable: Sendable {
  let realms: RealmDirectory
  package let all: [Route]

  /// Whole paths, by their number of segments.
  private let whole: [Int: [Route]]

  /// Paths below the realm, by what stands before it and by their number of segments.
  private let resources: [String: [Int: [Route]]]

  /// How the paths of streams end.
  private let streamEndings: [String]

  /// The route that a path names, with its realm and parameters.
  struct Match {
    let route: Route

    /// The realm's name as configured; `nil` if the path did not name it, so that the query may.
    let realm: String?
    let realmForm: RealmForm
    let parameters: [String: String]
  }

  /// Of two routes that fit a path, the first counts.
  package init(_ endpoints: [any Endpoint], realms: RealmDirectory) {
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

  /// Takes the realm off the front: `realms/root/realms/alpha/realms/branch`, `realms/alpha`, `alpha/branch`, or nothing, which gives `nil`.
  private func takeRealm(
    from rest: inout ArraySlice<String>, before resources: [Int: [Route]]
  ) throws(ErrorResponse) -> String? {
    var names: [String] = []
    while rest.first == "realms" {
      guard rest.count > 1 else { throw Self.unknownPath }
      names.append(rest[rest.startIndex + 1])
      rest = rest.dropFirst(2)
    }
    guard !names.isEmpty else { return try takeShortRealm(from: &rest, before: resources) }
    if names.count > 1, names[0].lowercased() == "root" { names.removeFirst() }
    guard let realm = realm(of: names[...]) else { throw .noSuchRealm }
    return realm
  }

  /// The longest beginning that is a realm and leaves a resource; `nil` when all of it is a resource.
  private func takeShortRealm(
    from rest: inout ArraySlice<String>, before resources: [Int: [Route]]
  ) throws(ErrorResponse) -> String? {
    guard !rest.isEmpty, Self.find(rest, in: resources) == nil else { return nil }
    var isBeforeResource = false
    for count in stride(from: min(rest.count, RealmName.deepest), through: 1, by: -1)
    where Self.find(rest.dropFirst(count), in: resources) != nil {
      isBeforeResource = true
      guard let realm = realm(of: rest.prefix(count)) else { continue }
      rest = rest.dropFirst(count)
      return realm
    }
    throw isBeforeResource ? .noSuchRealm : Self.unknownPath
  }

  /// - Parameter names: the path's segments, from the top. An encoded slash in a segment does not separate realms, because a filter in
  ///   front of the server did not see it as a separator.
  private func realm(of names: ArraySlice<String>) -> String? {
    guard names.count <= RealmName.deepest, !names.contains(where: { $0.utf8.contains(UInt8(ascii: "/")) })
    else { return nil }
    return realms.realm(key: names.joined(separator: "/").lowercased())
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
