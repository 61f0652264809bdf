internal import Bytes
internal import WebAddresses

/// What one proxy says about the connection that it accepted: an element of `Forwarded` (RFC 7239 §4).
struct ForwardedElement: Equatable {
  /// `for`, when it is an IP address; `nil` when it is absent, `unknown` or an obfuscated name (§6).
  private(set) var client: IPAddress?

  /// `proto`.
  private(set) var scheme: ClientConnection.Scheme?
  private(set) var host: String?

  /// - Returns: `nil` for anything that is not an element, and for repeated parameters and invalid values.
  init?(_ text: Substring) {
    var rest = text
    var names: Set<String> = []
    repeat {
      rest = rest.drop { $0 == " " }
      guard let name = Self.token(&rest)?.lowercased(), names.insert(name).inserted,
        rest.popFirst() == "=", let value = rest.first == "\"" ? Self.quoted(&rest) : Self.token(&rest)
      else { return nil }
      switch name {
      case "for":
        guard let node = Self.node(value) else { return nil }
        client = node
      case "proto":
        guard let scheme = ClientConnection.Scheme(rawValue: value.lowercased()) else { return nil }
        self.scheme = scheme
      case "host":
        guard ClientConnection.isHost(value) else { return nil }
        host = value
      default: break
      }
      guard !rest.isEmpty else { return }
    } while rest.popFirst() == ";"
    return nil
  }

  /// An address with or without port; the inner `nil` is a node that is unknown or obfuscated.
  private static func node(_ text: String) -> IPAddress?? {
    if text.lowercased() == "unknown" || text.hasPrefix("_") { return .some(nil) }
    guard let address = host(of: text[...]).flatMap({ IPAddress($0) }),
      !text.hasPrefix("[") || text.contains(":")
    else { return nil }
    return address
  }

  /// The host before an optional port, without the brackets of an IPv6 address; `nil` when the port is not valid.
  static func host(of text: Substring) -> Substring? {
    guard text.first == "[" else {
      let colon = text.firstIndex(of: ":") ?? text.endIndex
      return isPort(text[colon...]) ? text[..<colon] : nil
    }
    guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else { return nil }
    return text[..<end].dropFirst()
  }

  /// Nothing, or a colon and a port's number or obfuscated name.
  private static func isPort(_ text: Substring) -> Bool {
    guard text.first == ":" else { return text.isEmpty }
    let port = text.dropFirst().utf8
    return (1...5).contains(port.count)
      && port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      || (2...32).contains(port.count) && port.first == UInt8(ascii: "_")
        && port.allSatisfy(\.isTokenCharacter)
  }

  private static func token(_ rest: inout Substring) -> String? {
    let token = rest.utf8.prefix(while: \.isTokenCharacter)
    guard !token.isEmpty else { return nil }
    rest = rest[token.endIndex...]
    return String(Substring(token))
  }

  private static func quoted(_ rest: inout Substring) -> String? {
    rest.removeFirst()
    return rest.takeQuoted()
  }
}
