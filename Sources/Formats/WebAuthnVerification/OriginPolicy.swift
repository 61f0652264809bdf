internal import WebAddresses

/// The origins at which clients may run.
public struct OriginPolicy: Sendable, Hashable {
  /// The origins: `https://host[:port]`, `ios:bundle-id:…`, `android:apk-key-hash:…`. Empty: none.
  public var allowed: Set<String>

  /// Whether a frame of another origin than its page's may ask.
  public var allowsCrossOrigin: Bool

  /// The origins of the pages that may contain such a frame, checked when the client says which page it is. They have the form of
  /// ``allowed``.
  public var topOrigins: Set<String>

  public init(_ allowed: Set<String>, allowsCrossOrigin: Bool = false, topOrigins: Set<String> = []) {
    self.allowed = allowed
    self.allowsCrossOrigin = allowsCrossOrigin
    self.topOrigins = topOrigins
  }

  /// Whether clients may run at `origin`. It is compared with the allowed ones character by character or, for `http` and `https`, by
  /// scheme, host and port.
  public func allows(_ origin: String) -> Bool { Self.matches(origin, allowed) }

  /// Whether the page around a frame may have the origin `origin`.
  public func allowsTop(_ origin: String) -> Bool { allowsCrossOrigin && Self.matches(origin, topOrigins) }

  private static func matches(_ origin: String, _ allowed: Set<String>) -> Bool {
    if allowed.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) { return true }
    guard let web = Self.web(origin) else { return false }
    return allowed.contains { Self.web($0) == web }
  }

  /// The web origin of ASCII text, which clients write; `nil` for other text, which is compared character by character.
  private static func web(_ origin: String) -> WebOrigin? {
    origin.utf8.allSatisfy { (0x21..<0x7F).contains($0) } ? WebOrigin(origin) : nil
  }
}
