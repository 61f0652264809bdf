/// Base64url without padding, as JOSE writes all bytes (RFC 7515 §2, RFC 4648 §5).
public enum Base64URL {
  /// The text of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.withContiguousStorageIfAvailable(Base64Codec.urlSafe.text)
      ?? Array(bytes).withUnsafeBufferPointer(Base64Codec.urlSafe.text)
  }

  /// The bytes of `text`; `nil` when it has padding, other characters, an impossible length, or bits set that
  /// no byte uses, so that each value has one text only.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    text.utf8.withContiguousStorageIfAvailable(Base64Codec.urlSafe.decode)
      ?? Array(text.utf8).withUnsafeBufferPointer(Base64Codec.urlSafe.decode)
  }

  // Of these types by themselves: other modules would call the general forms, which take twice as long for
  // short values.

  /// The text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer(Base64Codec.urlSafe.text)
  }

  /// The bytes of `text`, as every text is read.
  public static func decode(_ text: String) -> [UInt8]? {
    text.utf8.withContiguousStorageIfAvailable { Base64Codec.urlSafe.decode($0) }
      ?? Array(text.utf8).withUnsafeBufferPointer(Base64Codec.urlSafe.decode)
  }

  /// The bytes of `text`, as every text is read.
  public static func decode(_ text: Substring) -> [UInt8]? {
    text.utf8.withContiguousStorageIfAvailable(Base64Codec.urlSafe.decode)
      ?? Array(text.utf8).withUnsafeBufferPointer(Base64Codec.urlSafe.decode)
  }
}
