/// Base64 in the standard alphabet with padding (RFC 4648 §4), as certificates in `x5c` are written (RFC 7517 §4.7).
public enum PaddedBase64 {
  /// The text of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.withContiguousStorageIfAvailable(Base64Codec.standard.paddedText)
      ?? Array(bytes).withUnsafeBufferPointer(Base64Codec.standard.paddedText)
  }

  /// The bytes of `text`; `nil` unless it is the one canonical text of its bytes: padding is required, and spare bits are zero.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    text.utf8.count % 4 == 0 ? Base64Codec.standard.decodePadded(Array(text.utf8)) : nil
  }
}

/// Base64 from other programs: in either alphabet (RFC 4648 §4 and §5), with or without padding.
public enum LenientBase64 {
  /// The bytes of `text`.
  ///
  /// `nil` for a text that mixes the alphabets, padding that does not match the length, spare bits that are not zero, and characters of
  /// neither alphabet, including blanks and line ends.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    let isStandard = characters.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
    return (isStandard ? Base64Codec.standard : .urlSafe).decodePadded(characters)
  }

  /// The text whose UTF-8 form `text` encodes; `nil` when it encodes something else.
  public static func decodeText(_ text: some StringProtocol) -> String? {
    decode(text).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
