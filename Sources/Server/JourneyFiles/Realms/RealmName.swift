internal import Bytes

/// The rules for a realm's name, which is part of addresses and names a folder. A realm inside another is called `alpha/branch`.
package enum RealmName {
  /// The most bytes of one name.
  package static let longest = 64

  /// The most bytes of all names and the slashes between them.
  static let longestPath = 255

  /// How many realms may be nested, the outermost included. An account's universal id allows as many.
  package static let deepest = 8

  /// First words of paths, which a realm's short path would hide.
  package static let reserved: Set<String> = [
    "root", "realms", "json", "authenticate", "sessions", "serverinfo", "users", "push", "audit",
    "applications", "transactions", "realm-config", "global-config", "health", "ssh", "xui", "oauth2",
  ]

  /// Why a new realm cannot have the name; `nil` when it can.
  package static func fault(in name: String) -> String? {
    guard (1...longest).contains(name.utf8.count),
      name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }),
      name.first?.isLetter == true || name.first?.isNumber == true
    else {
      return
        "A realm's name has 1 to \(longest) letters a to z, digits, hyphens and underscores, and begins with a letter or digit."
    }
    return reserved.contains(name.lowercased()) ? "The name \(name) is reserved for the server." : nil
  }

  /// Why no realm can have this path, such as `alpha/branch`; `nil` when one can.
  package static func fault(inPath path: String) -> String? {
    let names = path.parts(separatedBy: UInt8(ascii: "/"), most: deepest + 1)
    guard names.count <= deepest, path.utf8.count <= longestPath else {
      return
        "Realms may be nested at most \(deepest) deep, and their names may have at most \(longestPath) characters together."
    }
    return names.lazy.compactMap { fault(in: String($0)) }.first
  }

  /// The realm that this one is in: `root` for `alpha`, `alpha` for `alpha/branch`; `nil` for the root realm.
  package static func parent(of realm: String) -> String? {
    guard realm != "root" else { return nil }
    return realm.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(realm[..<$0]) } ?? "root"
  }

  /// Its own name, without those of the realms that it is in.
  package static func last(of realm: String) -> String {
    realm.split(separator: "/").last.map(String.init) ?? realm
  }
}

extension String {
  /// This realm name as PingAM's path: `/` for `root`, else `/NAME`.
  package var realmPath: String { self == "root" ? "/" : "/" + self }
}
