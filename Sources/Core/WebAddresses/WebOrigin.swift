/// Scheme, host and port of an `http` or `https` address (RFC 6454 §4).
package struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
  /// Whether the scheme is `https`.
  package let isHTTPS: Bool

  /// A domain name in ASCII, an IPv4 address, or an IPv6 address in brackets; in lower case.
  package let host: String

  /// The port; the scheme's default when the address has none.
  package let port: UInt16
}

extension WebOrigin {
  /// The origin of `address`, which may have a path and a query; `nil` for other schemes, for an address with a user, and for
  /// ambiguous addresses.
  package init?(address: String) {
    guard address.utf8.count <= 4096, !address.contains(where: { $0 == "\\" || $0.isWhitespace }) else {
      return nil
    }
    guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://") else { return nil }
    let scheme = address[..<colon].lowercased()
    guard scheme == "https" || scheme == "http" else { return nil }
    let authority = address[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
    guard let (host, port) = Self.split(authority) else { return nil }
    self.init(isHTTPS: scheme == "https", host: host, port: port ?? (scheme == "https" ? 443 : 80))
  }

  /// The origin in `text`, which must have no path, query or fragment.
  package init?(_ text: String) {
    guard text.filter({ $0 == "/" }).count == 2, !text.contains(where: { "?#".contains($0) }) else {
      return nil
    }
    self.init(address: text)
  }

  /// The origin's text (RFC 6454 §6.2), without the scheme's default port.
  package var description: String {
    let standard: UInt16 = isHTTPS ? 443 : 80
    return "\(isHTTPS ? "https" : "http")://\(host)" + (port == standard ? "" : ":\(port)")
  }

  /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1.
  package var isLoopback: Bool { host == "localhost" || isLoopbackAddress }

  /// Whether others on the network cannot read the traffic: `https`, or a server on this machine.
  package var isConfidential: Bool { isHTTPS || isLoopback }

  /// The same origin with `localhost` in place of this machine's addresses (RFC 6761 §6.3): WebAuthn accepts no addresses.
  package var namingLoopback: WebOrigin {
    isLoopbackAddress ? WebOrigin(isHTTPS: isHTTPS, host: "localhost", port: port) : self
  }

  /// The host as a domain name; `nil` for an address.
  package var domain: DomainName? { DomainName(host) }

  private var isLoopbackAddress: Bool { host == "[::1]" || (host.hasPrefix("127.") && Self.isIPv4(host)) }

  private static func split(_ authority: Substring) -> (host: String, port: UInt16?)? {
    var (host, port): (Substring, UInt16?) = (authority, nil)
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      let digits = authority[authority.index(after: colon)...]
      guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = UInt16(digits)
      else { return nil }
      (host, port) = (authority[..<colon], number)
    }
    if host.hasPrefix("[") {
      let address = host.dropFirst().dropLast()
      guard host.hasSuffix("]"), address.utf8.count <= 45, address.contains(":"),
        address.allSatisfy({ $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." })
      else { return nil }
      return (host.lowercased(), port)
    }
    let text = String(host)
    if isIPv4(text) { return (text, port) }
    return DomainName(text).map { ($0.ascii, port) }
  }

  /// Four decimal numbers without leading zeros, which some programs read as octal.
  private static func isIPv4(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
  }
}
