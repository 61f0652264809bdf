internal import Bytes
internal import CPublicSuffixes

/// The Public Suffix List (https://publicsuffix.org/list/): the names under which unrelated parties register domains. Both its
/// ICANN and its private section count, as in browsers.
///
/// The list is part of the program, and a lookup searches it in place.
package enum PublicSuffixes {
  /// The public suffix of `name`, such as `co.uk` of `www.example.co.uk`; it may be the entire name. A top-level domain that is not in
  /// the list is one, too.
  package static func suffix(of name: DomainName) -> DomainName {
    let labels = name.labels
    // The longest rule prevails, and an exception prevails over all (§ "Algorithm").
    var length = 1
    for count in 1...max(labels.count, 1) {
      let text = labels.suffix(count).joined(separator: ".")
      if hasRule("!" + text) {
        length = count - 1
        break
      }
      if hasRule(text) { length = max(length, count) }
      if count < labels.count, hasRule("*." + text) { length = max(length, count + 1) }
    }
    return DomainName(labels.suffix(length).joined(separator: ".")) ?? name
  }

  /// Whether the list has the rule: a name, `*.` and a name, or `!` and a name.
  private static func hasRule(_ rule: String) -> Bool {
    UnsafeBufferPointer(start: publicSuffixRulesStart, count: publicSuffixRulesCount).hasSortedLine(rule)
  }

  /// The registered name: the public suffix and one more label; `nil` for a public suffix itself.
  package static func registrableDomain(of name: DomainName) -> DomainName? {
    let count = suffix(of: name).labels.count
    let labels = name.labels
    guard labels.count > count else { return nil }
    return DomainName(labels.suffix(count + 1).joined(separator: "."))
  }
}

extension DomainName {
  /// Whether `host` may act for this name: the two are equal, or this one is a suffix of `host` and not a public suffix (HTML
  /// §7.5.2, "is a registrable domain suffix of or is equal to").
  package func isRegistrableSuffixOrEqual(of host: DomainName) -> Bool {
    if self == host { return true }
    guard host.isBelow(self) else { return false }
    let suffixOfHost = PublicSuffixes.suffix(of: host)
    return PublicSuffixes.suffix(of: self) != self && suffixOfHost != self && !suffixOfHost.isBelow(self)
  }
}
