internal import Bytes

/// Raw RSA encryption, RSAEP of RFC 8017 §5.1.1. Only ``OAEP`` uses it: the libraries support OAEP only without a label, but a TPM
/// requires one. It is not for signatures or private keys.
///
/// It uses Montgomery multiplication, whose control flow depends only on the public key, not on the message.
struct RSAEncryptionPrimitive: Sendable {
  /// The modulus, least significant word first.
  private let modulus: [UInt64]
  private let exponent: UInt32

  /// `-modulus⁻¹` modulo 2⁶⁴.
  private let inverse: UInt64

  /// R² modulo the modulus, where R is 2 to the power of the number of bits in all words.
  private let square: [UInt64]

  /// The length of the modulus, of messages and of ciphertexts, in bytes.
  var byteCount: Int { modulus.count * 8 }

  /// Returns `nil` unless the modulus, big-endian, is odd, has a length of a multiple of 8 bytes and its first bit set, and the exponent
  /// is an odd number from 3.
  init?(modulus bytes: [UInt8], exponent: UInt32) {
    guard let first = bytes.first, first >= 0x80, let last = bytes.last, last & 1 == 1, bytes.count % 8 == 0,
      exponent >= 3, exponent & 1 == 1
    else { return nil }
    let modulus = Self.words(bytes)
    self.modulus = modulus
    self.exponent = exponent
    // Newton's iteration doubles the correct bits each time; an odd number is its own inverse modulo 8.
    var inverse = modulus[0]
    for _ in 0..<5 { inverse &*= 2 &- modulus[0] &* inverse }
    self.inverse = 0 &- inverse
    var square = [UInt64](repeating: 0, count: modulus.count)
    square[0] = 1
    for _ in 0..<(2 * 64 * modulus.count) { square = Self.doubled(square, modulus) }
    self.square = square
  }

  /// `message` to the power of the exponent; `nil` unless it is as long as the modulus, and less than it.
  func apply(_ message: [UInt8]) -> [UInt8]? {
    guard message.count == byteCount,
      Self.words(message).reversed().lexicographicallyPrecedes(modulus.reversed())
    else { return nil }
    let base = product(Self.words(message), square)
    var result = base
    // Starting with the base covers the exponent's first bit.
    for bit in (0..<(UInt32.bitWidth - 1 - exponent.leadingZeroBitCount)).reversed() {
      result = product(result, result)
      if exponent >> UInt32(bit) & 1 == 1 { result = product(result, base) }
    }
    var one = [UInt64](repeating: 0, count: modulus.count)
    one[0] = 1
    return product(result, one).reversed().flatMap(\.bigEndianBytes)
  }

  /// `a · b · R⁻¹` (Koç, Acar, Kaliski: coarsely integrated operand scanning).
  private func product(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
    let count = modulus.count
    var sum = [UInt64](repeating: 0, count: count + 2)
    for word in b {
      Self.add(a, times: word, to: &sum)
      Self.add(modulus, times: sum[0] &* inverse, to: &sum)
      // The lowest word is 0 now.
      sum.removeFirst()
      sum.append(0)
    }
    return Self.reduced(sum[0..<count], overflow: sum[count], modulus)
  }

  private static func add(_ number: [UInt64], times factor: UInt64, to sum: inout [UInt64]) {
    var carry: UInt64 = 0
    for index in number.indices {
      let (high, low) = number[index].multipliedFullWidth(by: factor)
      let (first, overflow) = sum[index].addingReportingOverflow(low)
      let (second, again) = first.addingReportingOverflow(carry)
      sum[index] = second
      // This never overflows: the product of two words and two more words stay below 2¹²⁸.
      carry = high &+ (overflow ? 1 : 0) &+ (again ? 1 : 0)
    }
    for index in number.count..<sum.count {
      let (value, overflow) = sum[index].addingReportingOverflow(carry)
      sum[index] = value
      carry = overflow ? 1 : 0
    }
  }

  /// `number`, minus `modulus` if it is not below; both cases take the same time.
  private static func reduced(
    _ number: ArraySlice<UInt64>, overflow: UInt64, _ modulus: [UInt64]
  ) -> [UInt64] {
    var difference: [UInt64] = []
    var borrow: UInt64 = 0
    for (word, subtrahend) in zip(number, modulus) {
      let (first, under) = word.subtractingReportingOverflow(subtrahend)
      let (second, again) = first.subtractingReportingOverflow(borrow)
      difference.append(second)
      borrow = (under ? 1 : 0) | (again ? 1 : 0)
    }
    // The mask has all bits set when the number is below the modulus.
    let keeps = 0 &- (borrow & (overflow ^ 1))
    return zip(number, difference).map { $0 & keeps | $1 & ~keeps }
  }

  private static func doubled(_ number: [UInt64], _ modulus: [UInt64]) -> [UInt64] {
    var carry: UInt64 = 0
    let twice = number.map { word in
      defer { carry = word >> 63 }
      return word << 1 | carry
    }
    return reduced(twice[...], overflow: carry, modulus)
  }

  private static func words(_ bytes: [UInt8]) -> [UInt64] {
    stride(from: bytes.count, to: 0, by: -8).map { end in
      bytes[(end - 8)..<end].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
