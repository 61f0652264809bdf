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
    let text = Array(text.utf8)
    guard text.count == 36 else { return nil }
    var bytes: [UInt8] = []
    var half: UInt8?
    for (index, character) in text.enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard character == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Hexadecimal.value(of: character) else { return nil }
      if let high = half {
        bytes.append(high << 4 | digit)
        half = nil
      } else {
        half = digit
      }
    }
    self.init(bytes)
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// As a UUID, lower case.
  public var description: String { Hexadecimal.uuid(bytes) }
}
