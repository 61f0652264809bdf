/// A DER value followed by whatever fills the place up that it is kept in.
enum PaddedDER {
  /// `bytes` without what follows the first value (X.690 §8.1.3): makers fill an NV index up. As they are when that is no
  /// sequence of 256 bytes or more.
  static func value(in bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 4, bytes[0] == 0x30, bytes[1] == 0x82 else { return bytes }
    let end = 4 + (Int(bytes[2]) << 8 | Int(bytes[3]))
    return end <= bytes.count ? Array(bytes[..<end]) : bytes
  }
}
