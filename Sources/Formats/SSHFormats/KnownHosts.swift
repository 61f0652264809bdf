internal import Bytes

/// Names of hosts in a file `known_hosts` (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). Hashed names stay unknown.
package enum KnownHosts {
  /// The names under which `text` has the key `blob`: at most three, in the order of the file, without patterns.
  ///
  /// Lines with a marker (`@revoked`, `@cert-authority`) do not name a host.
  package static func names(of blob: [UInt8], in text: String) -> [String] {
    let key = PaddedBase64.encode(blob)
    var names: [String] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(maxSplits: 3, whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count >= 3, words[2] == key, !line.hasPrefix("@"), !line.hasPrefix("#") else { continue }
      for name in words[0].split(separator: ",") where !name.contains(where: { "|*?!".contains($0) }) {
        let name = String(name).onOneLine
        if !name.isEmpty, !names.contains(name) { names.append(name) }
      }
    }
    return Array(names.prefix(3))
  }
}
