package import WebAddresses

/// The Public Suffix List (https://publicsuffix.org/list/): the names under which anybody can register domains.
/// Its ICANN and its private section both count, as they do for browsers.
///
/// The list is part of the program, and a look-up takes no memory but a few short texts.
package enum PublicSuffixes {
  /// The public suffix of `name`, such as `co.uk` of `www.example.co.uk`, which may be all of it. A top-level domain that the list
  /// does not have is one.
  package static func suffix(of name: DomainName) -> DomainName {
    let labels = name.labels
    // The longest rule prevails, and an exception prevails over all (§ "Algorithm").
    var length = 1
    for count in 1...max(labels.count, 1) {
      let text = labels.suffix(count).joined(separator: ".")
      if SuffixRules.contains("!" + text) {
        length = count - 1
        break
      }
      if SuffixRules.contains(text) { length = max(length, count) }
      if count < labels.count, SuffixRules.contains("*." + text) { length = max(length, count + 1) }
    }
    return DomainName(labels.suffix(length).joined(separator: ".")) ?? name
  }

  /// The name that was registered: the public suffix and one label more; `nil` for a public suffix itself.
  package static func registrableDomain(of name: DomainName) -> DomainName? {
    let count = suffix(of: name).labels.count
    let labels = name.labels
    guard labels.count > count else { return nil }
    return DomainName(labels.suffix(count + 1).joined(separator: "."))
  }
}

extension DomainName {
  /// Whether `host` may use this name for itself: the two are equal, or this one is a suffix of `host` and not one under which
  /// others register theirs (HTML §7.5.2, "is a registrable domain suffix of or is equal to").
  package func isRegistrableSuffixOrEqual(of host: DomainName) -> Bool {
    if self == host { return true }
    guard host.isBelow(self) else { return false }
    let suffixOfHost = PublicSuffixes.suffix(of: host)
    return PublicSuffixes.suffix(of: self) != self && suffixOfHost != self && !suffixOfHost.isBelow(self)
  }
}
