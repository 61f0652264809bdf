/// Base64url without padding, as JOSE writes all bytes (RFC 7515 §2, RFC 4648 §5).
public enum Base64URL {
  /// The text of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.withContiguousStorageIfAvailable(Base64Codec.urlSafe.text)
      ?? Array(bytes).withUnsafeBufferPointer(Base64Codec.urlSafe.text)
  }

  /// The bytes of `text`; `nil` for padding, other characters, an impossible length, or spare bits that are not zero, so that each
  /// value has one text only.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? { bytes(of: text.utf8) }

  // The overloads for these types exist because other modules would call the generic forms, which take twice as long for short values.

  /// The text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer(Base64Codec.urlSafe.text)
  }

  /// The bytes of `text`, by the same rules as the generic form.
  public static func decode(_ text: String) -> [UInt8]? { bytes(of: text.utf8) }

  /// The bytes of `text`, by the same rules as the generic form.
  public static func decode(_ text: Substring) -> [UInt8]? { bytes(of: text.utf8) }

  @inline(__always)
  private static func bytes(of characters: some Collection<UInt8>) -> [UInt8]? {
    characters.withContiguousStorageIfAvailable { Base64Codec.urlSafe.decode($0) }
      ?? Array(characters).withUnsafeBufferPointer { Base64Codec.urlSafe.decode($0) }
  }
}
