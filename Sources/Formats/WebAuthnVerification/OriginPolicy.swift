/// At which origins clients may run.
public struct OriginPolicy: Sendable, Hashable {
  /// The origins: `https://host[:port]`, `ios:bundle-id:…`, `android:apk-key-hash:…`. Empty: none.
  public var allowed: Set<String>

  /// Whether a frame of another origin than its page's may ask.
  public var allowsCrossOrigin: Bool

  /// The pages in which such a frame may be, where the client says which page it is. As in ``allowed``.
  public var topOrigins: Set<String>

  public init(_ allowed: Set<String>, allowsCrossOrigin: Bool = false, topOrigins: Set<String> = []) {
    self.allowed = allowed
    self.allowsCrossOrigin = allowsCrossOrigin
    self.topOrigins = topOrigins
  }

  /// Whether clients may run at `origin`: it is among the allowed ones, character by character or, for `http` and `https`, by scheme, host
  /// and port.
  public func allows(_ origin: String) -> Bool { Self.matches(origin, allowed) }

  /// Whether the page around a frame may have the origin `origin`.
  public func allowsTop(_ origin: String) -> Bool { allowsCrossOrigin && Self.matches(origin, topOrigins) }

  private static func matches(_ origin: String, _ allowed: Set<String>) -> Bool {
    if allowed.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) { return true }
    guard let web = WebOrigin(origin) else { return false }
    return allowed.contains { WebOrigin($0) == web }
  }
}

/// Scheme, host and port of an origin on the web; ports that the scheme implies are filled in.
private struct WebOrigin: Equatable {
  private let scheme: String
  private let host: String
  private let port: UInt16

  /// `nil` for other schemes and for anything beside the three, such as a path, a query, or a user.
  init?(_ text: String) {
    let text = text.lowercased()
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else { return nil }
    let rest: Substring
    if text.hasPrefix("https://") {
      (scheme, port, rest) = Self.split("https", text.dropFirst(8), 443)
    } else if text.hasPrefix("http://") {
      (scheme, port, rest) = Self.split("http", text.dropFirst(7), 80)
    } else {
      return nil
    }
    guard !rest.isEmpty, !rest.utf8.contains(where: Array("/?#@\\".utf8).contains),
      rest.first == "[" ? rest.last == "]" : !rest.utf8.contains(UInt8(ascii: ":"))
    else { return nil }
    host = String(rest)
  }

  /// Takes a port off the end; one that is not a number stays there, and makes the host unacceptable.
  private static func split(
    _ scheme: String, _ authority: Substring, _ standard: UInt16
  ) -> (String, UInt16, Substring) {
    guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else {
      return (scheme, standard, authority)
    }
    let digits = authority[authority.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      return (scheme, standard, authority)
    }
    return (scheme, port, authority[..<colon])
  }
}
