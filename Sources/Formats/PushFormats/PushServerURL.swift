internal import Bytes
internal import WebAddresses

/// The address of a push endpoint: absolute, `http` or `https`, without fragment and user information.
public struct PushServerURL: Sendable, Hashable, CustomStringConvertible {
  /// Everything before the query.
  private let base: String
  /// The query's items as written, without `_action`.
  private let items: [String]
  /// As written, percent-encoding included.
  private let action: String?
  /// The host as written.
  public let host: String
  /// Whether others on the network cannot read the connection: `https`, or a server on this machine.
  public let isConfidential: Bool

  /// - Throws: ``PushFormatError/Code/malformed`` or ``PushFormatError/Code/tooLarge``
  public init(_ text: String) throws(PushFormatError) {
    guard text.utf8.count <= 2048 else {
      throw PushFormatError(.tooLarge, "A server address has \(text.utf8.count) bytes, more than 2048.")
    }
    let malformed = PushFormatError(.malformed, "A server address is not an absolute http or https URL.")
    guard text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }),
      !text.contains(where: { "#\\\"<>^`{|}".contains($0) })
    else { throw malformed }
    let lower = text.lowercased()
    let isHTTPS = lower.hasPrefix("https://")
    guard isHTTPS || lower.hasPrefix("http://") else { throw malformed }
    let rest = text.dropFirst(isHTTPS ? 8 : 7)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@"), let host = Self.host(of: authority) else { throw malformed }
    self.host = host
    isConfidential = isHTTPS || WebOrigin(address: text)?.isLoopback == true
    let beforeQuery = text.prefix { $0 != "?" }
    base = String(beforeQuery)
    let all = text.dropFirst(beforeQuery.count + 1).split(separator: "&").map(String.init)
    items = all.filter { !$0.hasPrefix("_action=") }
    action = all.first { $0.hasPrefix("_action=") }.map { String($0.dropFirst(8)) }
  }

  private static func host(of authority: Substring) -> String? {
    var host = authority
    if let close = authority.lastIndex(of: "]") {
      guard authority.first == "[" else { return nil }
      host = authority[...close]
    } else if let colon = authority.lastIndex(of: ":") {
      host = authority[..<colon]
    }
    let port = authority[host.endIndex...]
    guard !host.isEmpty, port.isEmpty || port.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
      port.isEmpty || port.count > 1
    else { return nil }
    return String(host)
  }

  /// The endpoint without `_action`; other query items stay.
  public var endpoint: String { base + (items.isEmpty ? "" : "?" + items.joined(separator: "&")) }

  /// The endpoint with `_action=` and `action`, which takes the place of any other.
  public func with(action: String) -> String { with(encodedAction: PercentEncoding.encode(action)) }

  private func with(encodedAction action: String) -> String {
    base + "?" + (items + ["_action=\(action)"]).joined(separator: "&")
  }

  /// The endpoint with `tail` in place of `push/sns/message`, without `_action`: `…/push/stream` for `push/stream`. `nil` when the path
  /// does not end with `push/sns/message`.
  public func replacingMessagePath(with tail: String) -> String? {
    let suffix = "push/sns/message"
    guard base.hasSuffix(suffix) else { return nil }
    return base.dropLast(suffix.count) + tail
      + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
  }

  /// The whole text, as given but for `_action`, which comes last.
  public var description: String { action.map { with(encodedAction: $0) } ?? endpoint }
}
