internal import Bytes

/// A realm, in any spelling that people and programs use. Realms nest: each but the root has a parent.
package struct RealmPath: Sendable, Hashable {
  /// The names from the top; none for the root realm.
  package let names: [String]

  /// Reads `root`, `/`, `alpha`, `/alpha/branch`, `root/realms/alpha` and the like. Whether a realm can have the names is not checked.
  package init(_ text: String) {
    var names = text.split(separator: "/").map(String.init)
    if names.first?.lowercased() == "root" { names.removeFirst() }
    // A final `realms` stays a name, though no realm can have it, because the path does not ask for the realm above.
    self.names = names.enumerated().filter { $0 == names.count - 1 || $1 != "realms" }.map(\.element)
  }

  /// The name in settings, stores and records: `root`, `alpha`, `alpha/branch`.
  package var name: String { names.isEmpty ? "root" : names.joined(separator: "/") }

  /// The realms around this one, from the outermost, and this realm itself: `alpha`, `alpha/branch`. The root realm is left out.
  package var lineage: [String] { names.indices.map { names[...$0].joined(separator: "/") } }

  /// The realm in the paths of resources: `realms/root/realms/alpha/realms/branch`.
  package var inPath: String {
    "realms/root" + names.map { "/realms/" + PercentEncoding.encode($0) }.joined()
  }

  /// The address of its resources on a server with this base address: `https://id.example.com/am/json/realms/root/realms/alpha`.
  package func resources(at server: String) -> String { "\(server)/json/\(inPath)" }

  /// The realm in the short paths of resources: `/alpha/branch`, and empty for the root realm.
  package var inShortPath: String { names.map { "/" + PercentEncoding.encode($0) }.joined() }

  /// Whether the names are safe in a path. Programs on the way resolve `.` and `..` as steps, even when encoded, and would reach
  /// another realm.
  package var canStandInPath: Bool { !names.contains { $0 == "." || $0 == ".." } }
}
