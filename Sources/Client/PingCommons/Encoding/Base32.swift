internal import Bytes
public import Foundation

extension Data {
  /// The bytes that `base32String` encodes (RFC 4648 §6).
  ///
  /// Case, white space around it and missing or superfluous padding at the end do not matter; left-over bits are dropped.
  /// `nil` for any other character and for 10,000 characters or more.
  public init?(base32Encoded base32String: String) {
    let text = base32String.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.utf8.count < 10_000, let bytes = Base32.decodeLenient(text) else { return nil }
    self.init(bytes)
  }

  /// Base32 of these bytes, padded to a multiple of eight characters (RFC 4648 §6).
  public func base32EncodedString() -> String {
    let text = Base32.encode(self)
    return text + String(repeating: "=", count: (8 - text.utf8.count % 8) % 8)
  }
}
