internal import Foundation

/// Numbers, codes and ids of push, from the system's secure generator, made anew for each message.
struct PushRandom: Sendable {
  let randomBytes: @Sendable (Int) -> [UInt8]

  /// Bytes of a challenge or a shared secret.
  static let secretCount = 32

  func secret() -> [UInt8] { randomBytes(Self.secretCount) }

  /// A number below `bound`, each with the same probability.
  func number(below bound: UInt32) throws(NodeError) -> UInt32 {
    // The largest multiple of `bound` that 32 bits hold: what lies above would favour small numbers.
    let end = UInt32.max - UInt32.max % bound
    while true {
      let bytes = randomBytes(4)
      guard bytes.count == 4 else { throw NodeError("the random source gave no bytes") }
      let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if number < end { return number % bound }
    }
  }

  /// Three different numbers from 10 to 99 in ascending order, and the one of them that is right.
  func numberChallenge() throws(NodeError) -> (options: [Int], answer: Int) {
    var options: Set<Int> = []
    while options.count < 3 { options.insert(10 + Int(try number(below: 90))) }
    let sorted = options.sorted()
    return (sorted, sorted[Int(try number(below: 3))])
  }

  /// Six digits.
  func code() throws(NodeError) -> String {
    let digits = String(try number(below: 1_000_000))
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// An id in PingAM's form: prefix, UUID version 4, milliseconds since 1970.
  func id(_ prefix: String, now: Date) -> String {
    var bytes = randomBytes(16)
    if bytes.count == 16 {
      bytes[6] = bytes[6] & 0x0F | 0x40
      bytes[8] = bytes[8] & 0x3F | 0x80
    }
    let hex = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { range in
      hex.indices.contains(range.upperBound - 1) ? hex[range].joined() : ""
    }
    return prefix + groups.joined(separator: "-")
      + String(Int64((now.timeIntervalSince1970 * 1000).rounded()))
  }
}
