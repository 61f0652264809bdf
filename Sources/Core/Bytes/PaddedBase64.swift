/// Base64 in the standard alphabet with padding (RFC 4648 §4), as certificates in `x5c` are written (RFC 7517 §4.7).
public enum PaddedBase64 {
  /// The text of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.withContiguousStorageIfAvailable(Base64Codec.standard.paddedText)
      ?? Array(bytes).withUnsafeBufferPointer(Base64Codec.standard.paddedText)
  }

  /// The bytes of `text`; `nil` for anything but the one canonical text of some bytes: padding is required, and bits that
  /// no byte uses are zero.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    text.utf8.count % 4 == 0 ? Base64Codec.standard.decodePadded(Array(text.utf8)) : nil
  }
}

/// Base64 as others write it: in either alphabet (RFC 4648 §4 and §5), with or without padding.
public enum LenientBase64 {
  /// The bytes of `text`.
  ///
  /// `nil` for characters of both alphabets in one text, for padding that is not what the length asks for, and for bits set
  /// that no byte uses, as well as for everything that is in neither alphabet, blanks and line ends included.
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
