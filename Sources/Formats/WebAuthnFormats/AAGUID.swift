internal import Bytes

/// Names a model of authenticators (WebAuthn L3 §6.5.1): 16 bytes, all zero when the authenticator does not say.
public struct AAGUID: Sendable, Hashable, CustomStringConvertible {
  public static let zero = AAGUID(unchecked: [UInt8](repeating: 0, count: 16))

  public let bytes: [UInt8]

  /// `nil` unless there are 16 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.init(unchecked: Array(bytes))
  }

  /// Reads the text of a UUID, in either case; `nil` for anything else.
  public init?(uuid text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
      let bytes = Hexadecimal.decode(groups.joined(separator: ""))
    else { return nil }
    self.init(bytes)
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// As a UUID, lower case.
  public var description: String { Hexadecimal.uuid(bytes) }
}
