internal import Bytes

/// Names of hosts in a file `known_hosts` (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). Hashed names stay unknown.
package enum KnownHosts {
  /// The names under which `text` has the key `blob`: at most three, in the order of the file, without patterns.
  ///
  /// Lines with a marker (`@revoked`, `@cert-authority`) do not name a host.
  package static func names(of blob: [UInt8], in text: String) -> [String] {
    let key = PaddedBase64.encode(blob)
    guard !isRevoked(key, in: text) else { return [] }
    var names: [String] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(maxSplits: 3, whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count >= 3, words[2] == key, !words[0].hasPrefix("@"), !words[0].hasPrefix("#") else {
        continue
      }
      for name in words[0].split(separator: ",") where !name.contains(where: { "|*?!".contains($0) }) {
        let name = String(name).onOneLine
        if !name.isEmpty, !names.contains(name) { names.append(name) }
      }
    }
    return Array(names.prefix(3))
  }

  /// The names in `certificate` that the lines `@cert-authority` of `text` allow its authority to give: at most three.
  package static func names(in certificate: SSHCertificate, by text: String) -> [String] {
    let authority = PaddedBase64.encode(certificate.authority.blob)
    let key = PaddedBase64.encode(certificate.contents.key.blob)
    guard ![authority, key].contains(where: { isRevoked($0, in: text) }) else { return [] }
    let allowed = text.split(whereSeparator: \.isNewline).compactMap { line -> [Substring]? in
      let words = line.split(maxSplits: 4, whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count >= 4, words[0] == "@cert-authority", words[3] == authority else { return nil }
      return words[1].split(separator: ",")
    }
    let names = certificate.contents.principals.filter { name in allowed.contains { matches(name, $0) } }
    return names.prefix(3).map(\.onOneLine)
  }

  /// Whether a line `@revoked` has the key, for any hosts.
  private static func isRevoked(_ key: String, in text: String) -> Bool {
    text.split(whereSeparator: \.isNewline).contains { line in
      // Spaces and tabs may stand before the marker.
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      return words.first == "@revoked" && words.contains(Substring(key))
    }
  }

  /// Whether one of the patterns fits, and none that begins with `!` (ssh_config(5), PATTERNS). A port in a pattern is not compared.
  private static func matches(_ name: String, _ patterns: [Substring]) -> Bool {
    let fitting = patterns.filter { pattern in
      var pattern = pattern.drop { $0 == "!" }
      if pattern.hasPrefix("["), let end = pattern.lastIndex(of: "]") {
        pattern = pattern.dropFirst()[..<end]
      }
      return fits(Array(name.lowercased().utf8)[...], Array(pattern.lowercased().utf8)[...])
    }
    return !fitting.isEmpty && !fitting.contains { $0.hasPrefix("!") }
  }

  /// Whether a pattern with `*` and `?` fits the whole text, in a time that grows with the product of their lengths.
  private static func fits(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    var (text, pattern) = (text, pattern)
    // The text after what the last `*` has matched so far, and the pattern after that `*`.
    var star: (text: ArraySlice<UInt8>, pattern: ArraySlice<UInt8>)?
    while let byte = text.first {
      if let wanted = pattern.first, wanted != UInt8(ascii: "*"),
        wanted == byte || wanted == UInt8(ascii: "?")
      {
        (text, pattern) = (text.dropFirst(), pattern.dropFirst())
      } else if pattern.first == UInt8(ascii: "*") {
        pattern = pattern.dropFirst()
        star = (text, pattern)
      } else if let last = star {
        (text, pattern) = (last.text.dropFirst(), last.pattern)
        star = (text, pattern)
      } else {
        return false
      }
    }
    return pattern.allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
