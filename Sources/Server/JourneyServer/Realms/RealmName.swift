/// What a realm may be called: it stands in addresses and names a folder.
enum RealmName {
  static let longest = 64

  /// First words of paths, which a realm's short path would hide.
  private static let reserved: Set<String> = [
    "root", "realms", "json", "authenticate", "sessions", "serverinfo", "users", "push", "audit",
    "applications",
    "transactions", "realm-config", "global-config", "health", "xui",
  ]

  /// Why `name` cannot be a new realm's; `nil` when it can.
  static func fault(in name: String) -> String? {
    guard (1...longest).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed),
      name.first?.isLetter == true || name.first?.isNumber == true
    else {
      return
        "A realm's name has 1 to \(longest) letters a to z, digits, hyphens and underscores, and begins with a letter or digit."
    }
    return reserved.contains(name.lowercased()) ? "The name \(name) is taken by the server itself." : nil
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
