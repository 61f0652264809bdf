/// Base64url without padding, as JOSE writes all bytes (RFC 7515 §2, RFC 4648 §5).
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Value of each byte, 255 for those outside the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// The text of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: encodedBytes(bytes), as: UTF8.self)
  }

  /// The ASCII bytes of the text of `bytes`.
  package static func encodedBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let source = (bytes as? [UInt8]) ?? Array(bytes)
    let length = (source.count * 4 + 2) / 3
    return source.withUnsafeBufferPointer { source in
      alphabet.withUnsafeBufferPointer { alphabet in
        [UInt8](unsafeUninitializedCapacity: length) { target, count in
          var (read, write) = (0, 0)
          while read + 3 <= source.count {
            let group = UInt32(source[read]) << 16 | UInt32(source[read + 1]) << 8 | UInt32(source[read + 2])
            target[write] = alphabet[Int(group >> 18)]
            target[write + 1] = alphabet[Int(group >> 12 & 63)]
            target[write + 2] = alphabet[Int(group >> 6 & 63)]
            target[write + 3] = alphabet[Int(group & 63)]
            read += 3
            write += 4
          }
          if source.count - read == 1 {
            target[write] = alphabet[Int(source[read] >> 2)]
            target[write + 1] = alphabet[Int(source[read] & 3) << 4]
          } else if source.count - read == 2 {
            target[write] = alphabet[Int(source[read] >> 2)]
            target[write + 1] = alphabet[Int(source[read] & 3) << 4 | Int(source[read + 1] >> 4)]
            target[write + 2] = alphabet[Int(source[read + 1] & 15) << 2]
          }
          count = length
        }
      }
    }
  }

  /// The bytes of `text`; `nil` when it has padding, other characters, an impossible length, or bits set that no
  /// byte uses, so that each value has one text only.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    text.utf8.withContiguousStorageIfAvailable(decode) ?? Array(text.utf8).withUnsafeBufferPointer(decode)
  }

  package static func decode(_ source: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let remainder = source.count % 4
    guard remainder != 1 else { return nil }
    var isValid = true
    let bytes = values.withUnsafeBufferPointer { values in
      [UInt8](unsafeUninitializedCapacity: source.count / 4 * 3 + 2) { target, count in
        var (read, seen) = (0, UInt8(0))
        while read + 4 <= source.count {
          let (a, b) = (values[Int(source[read])], values[Int(source[read + 1])])
          let (c, d) = (values[Int(source[read + 2])], values[Int(source[read + 3])])
          seen |= a | b | c | d
          target[count] = a << 2 | b >> 4 & 3
          target[count + 1] = b << 4 | c >> 2 & 15
          target[count + 2] = c << 6 | d & 63
          read += 4
          count += 3
        }
        if remainder >= 2 {
          let (a, b) = (values[Int(source[read])], values[Int(source[read + 1])])
          seen |= a | b
          target[count] = a << 2 | b >> 4 & 3
          count += 1
          if remainder == 2 {
            isValid = b & 15 == 0
          } else {
            let c = values[Int(source[read + 2])]
            seen |= c
            target[count] = b << 4 | c >> 2 & 15
            count += 1
            isValid = c & 3 == 0
          }
        }
        // Only 255, the mark of a foreign character, has the top bit.
        isValid = isValid && seen & 0x80 == 0
      }
    }
    return isValid ? bytes : nil
  }
}
