internal import Bytes

/// What a realm may be called: the name is part of addresses and names a folder.
enum RealmName {
  static let longest = 64

  /// First words of paths, which a realm's short path would hide.
  private static let reserved: Set<String> = [
    "root", "realms", "json", "authenticate", "sessions", "serverinfo", "users", "push", "audit",
    "applications", "transactions", "realm-config", "global-config", "health", "xui", "oauth2",
  ]

  /// Why a new realm cannot have the name; `nil` when it can.
  static func fault(in name: String) -> String? {
    guard (1...longest).contains(name.utf8.count),
      name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }),
      name.first?.isLetter == true || name.first?.isNumber == true
    else {
      return
        "A realm's name has 1 to \(longest) letters a to z, digits, hyphens and underscores, and begins with a letter or digit."
    }
    return reserved.contains(name.lowercased()) ? "The name \(name) is reserved for the server." : nil
  }
}

extension String {
  /// This realm name as PingAM's path: `/` for `root`, else `/NAME`.
  var realmPath: String { self == "root" ? "/" : "/" + self }
}
