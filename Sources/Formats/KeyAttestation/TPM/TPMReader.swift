/// Reads the TPM's own encoding: big-endian numbers, and byte strings after their 16-bit length (TPM 2.0 Library, Part 2,
/// §10.4). Nothing is read beyond the end.
struct TPMReader {
  /// The bytes end too early, a length or value is out of range, or bytes follow the end.
  struct Malformed: Error {
    let reason: String
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8], atMost maximum: Int) throws(Malformed) {
    guard bytes.count <= maximum else {
      throw Malformed(reason: "it has \(bytes.count) bytes, more than \(maximum)")
    }
    rest = bytes[...]
  }

  mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type = T.self) throws(Malformed)
    -> T
  {
    var value: T = 0
    for byte in try bytes(T.bitWidth / 8) { value = value << 8 | T(byte) }
    return value
  }

  /// A TPM2B structure: its length, then the bytes.
  mutating func sized(atMost maximum: Int) throws(Malformed) -> [UInt8] {
    let count = Int(try integer(UInt16.self))
    guard count <= maximum else {
      throw Malformed(reason: "a field has \(count) bytes, more than \(maximum)")
    }
    return Array(try bytes(count))
  }

  /// A number in a TPM2B structure, with zeros in front so that it has `count` bytes.
  mutating func number(_ count: Int) throws(Malformed) -> [UInt8] {
    let bytes = try sized(atMost: count)
    return [UInt8](repeating: 0, count: count - bytes.count) + bytes
  }

  /// Throws unless everything was read.
  func end() throws(Malformed) {
    guard rest.isEmpty else { throw Malformed(reason: "\(rest.count) bytes follow the end") }
  }

  private mutating func bytes(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw Malformed(reason: "it ends too early") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
