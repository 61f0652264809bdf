internal import Bytes

/// The ways in which 32 bytes of a key may be written: as they are, as 64 hexadecimal digits, in Base64 with padding, or in
/// Base64url without, with a line feed at the end or not.
enum ServerKeyText {
  static func bytes(_ written: [UInt8]) -> [UInt8]? {
    if written.count == ServerKey.length { return written }
    var text = String(decoding: written, as: UTF8.self)[...]
    while let last = text.last, last.isNewline { text.removeLast() }
    let bytes =
      text.utf8.count == 2 * ServerKey.length
      ? Hexadecimal.decode(text) : Base64URL.decode(text) ?? PaddedBase64.decode(text)
    return bytes?.count == ServerKey.length ? bytes : nil
  }
}
