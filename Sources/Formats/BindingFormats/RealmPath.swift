internal import Bytes

/// A realm, in any spelling that people and programs use. Realms nest: each but the root has a parent.
package struct RealmPath: Sendable, Hashable {
  /// The names from the top; none for the root realm.
  package let names: [String]

  /// Reads `root`, `/`, `alpha`, `/alpha/branch`, `root/realms/alpha` and the like. Whether a realm can have the names is not checked.
  package init(_ text: String) {
    var names = text.split(separator: "/").map(String.init)
    if names.first?.lowercased() == "root" { names.removeFirst() }
    // At the end it is a name, though none that a realm can have: what it asks for is not the realm above.
    self.names = names.enumerated().filter { $0 == names.count - 1 || $1 != "realms" }.map(\.element)
  }

  /// `root`, `alpha`, `alpha/branch`: how settings, stores and records name it.
  package var name: String { names.isEmpty ? "root" : names.joined(separator: "/") }

  /// The realms that it is in, from the outermost, and itself: `alpha`, `alpha/branch`. Without the root realm.
  package var lineage: [String] { names.indices.map { names[...$0].joined(separator: "/") } }

  /// `realms/root/realms/alpha/realms/branch`: how the paths of resources name it.
  package var inPath: String {
    "realms/root" + names.map { "/realms/" + PercentEncoding.encode($0) }.joined()
  }

  /// Where its resources are below a server's base address: `https://id.example.com/am/json/realms/root/realms/alpha`.
  package func resources(at server: String) -> String { "\(server)/json/\(inPath)" }

  /// `/alpha/branch`, and nothing for the root realm: how the short paths of resources name it.
  package var inShortPath: String { names.map { "/" + PercentEncoding.encode($0) }.joined() }

  /// Whether the names survive in a path. Programs on the way take `.` and `..` for steps, encoded, too, and would reach another realm.
  package var canStandInPath: Bool { !names.contains { $0 == "." || $0 == ".." } }
}
