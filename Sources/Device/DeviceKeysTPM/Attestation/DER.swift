/// Just enough of DER to find where a certificate ends (X.690 §8.1.3).
enum DER {
  /// `bytes` without what follows the first value: makers fill an NV index up. As they are when that is no DER sequence.
  static func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 4, bytes[0] == 0x30, bytes[1] == 0x82 else { return bytes }
    let end = 4 + (Int(bytes[2]) << 8 | Int(bytes[3]))
    return end <= bytes.count ? Array(bytes[..<end]) : bytes
  }
}
