/// Names one enrolment or one push message: `TYPE:` and a random part, which is opaque to devices.
public struct PushMessageID: Sendable, Hashable, CustomStringConvertible {
  /// What the message is for; it decides which answers are accepted.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case register = "REGISTER"
    case authenticate = "AUTHENTICATE"
  }

  public let kind: Kind

  /// The whole text, `TYPE:` included.
  public let text: String

  /// A new id: `uuid` in lower case followed by the epoch milliseconds.
  public init(_ kind: Kind, uuid: String, milliseconds: Int64) {
    self.kind = kind
    text = "\(kind.rawValue):\(uuid.lowercased())\(milliseconds)"
  }

  /// An id that a device sent back; `nil` without a known type before the last colon, or above 256 bytes.
  public init?(_ text: String) {
    guard text.utf8.count <= 256, let colon = text.lastIndex(of: ":"),
      text.index(after: colon) < text.endIndex,
      let kind = Kind(rawValue: String(text[..<colon]))
    else { return nil }
    self.kind = kind
    self.text = text
  }

  public var description: String { text }
}
