internal import Bytes

/// Base64 as servers and apps of this protocol write it: either alphabet, with or without padding.
public enum PushBase64 {
  /// The bytes of `text`, in whichever alphabet; `nil` when it is neither.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var characters = Array(text.utf8)
    var padding = 0
    while characters.last == UInt8(ascii: "=") {
      characters.removeLast()
      padding += 1
    }
    guard padding <= 2, padding == 0 || (characters.count + padding) % 4 == 0 else { return nil }
    for index in characters.indices {
      switch characters[index] {
      case UInt8(ascii: "+"): characters[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): characters[index] = UInt8(ascii: "_")
      default: break
      }
    }
    return Base64URL.decode(String(decoding: characters, as: UTF8.self))
  }

  /// The text whose UTF-8 form `text` encodes; `nil` when it encodes something else.
  public static func decodeText(_ text: some StringProtocol) -> String? {
    decode(text).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The standard alphabet with padding (RFC 4648 §4).
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var characters = Base64URL.encode(bytes).utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while characters.count % 4 != 0 { characters.append(UInt8(ascii: "=")) }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The URL-safe alphabet without padding (RFC 4648 §5).
  public static func encodeURLSafe(_ bytes: some Sequence<UInt8>) -> String {
    Base64URL.encode(bytes)
  }
}
