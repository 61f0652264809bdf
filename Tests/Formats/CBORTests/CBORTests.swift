import CommonFixtures
import CBOR
import Testing

/// RFC 8949 appendix A, as far as the kinds of values go, and the canonical form of CTAP 2.1 §8.
@Suite struct CBORTests {
  static let examples: [(CBORValue, String)] = [
    (0, "00"), (1, "01"), (10, "0a"), (23, "17"), (24, "1818"), (25, "1819"), (100, "1864"), (1000, "1903e8"),
    (1_000_000, "1a000f4240"), (1_000_000_000_000, "1b000000e8d4a51000"),
    (.unsigned(.max), "1bffffffffffffffff"), (.negative(.max), "3bffffffffffffffff"), (-1, "20"), (-10, "29"),
    (-100, "3863"), (-1000, "3903e7"), (false, "f4"), (true, "f5"), (.null, "f6"), (.bytes([]), "40"),
    (.bytes([1, 2, 3, 4]), "4401020304"), ("", "60"), ("a", "6161"), ("IETF", "6449455446"),
    ("\"\\", "62225c"),
    ("\u{fc}", "62c3bc"), ("\u{6c34}", "63e6b0b4"), ([], "80"), ([1, 2, 3], "83010203"),
    ([1, [2, 3], [4, 5]], "8301820203820405"),
    (.array((1...25).map { CBORValue($0) }), "98190102030405060708090a0b0c0d0e0f101112131415161718181819"),
    ([:], "a0"), ([1: 2, 3: 4], "a201020304"), (["a": 1, "b": [2, 3]], "a26161016162820203"),
    (["a", ["b": "c"]], "826161a161626163"),
  ]

  @Test(arguments: examples)
  func `the examples of the specification go both ways`(value: CBORValue, hex: String) throws {
    #expect(value.encoded == bytes(hex))
    #expect(try CBORValue(decoding: bytes(hex)) == value)
  }

  @Test(arguments: [3, 16, 17, 40])
  func `entries of a map are found while others go and come`(count: Int) throws {
    let numbers = 0..<count
    var map = CBORMap(numbers.map { (CBORValue($0), CBORValue(-$0)) })
    for number in numbers where number.isMultiple(of: 2) { map[CBORValue(number)] = nil }
    #expect(map.count == count / 2)
    for number in numbers {
      #expect(map[CBORValue(number)] == (number.isMultiple(of: 2) ? nil : CBORValue(-number)))
    }
    for number in numbers.reversed() { map[CBORValue(number)] = "again" }
    let other = CBORMap(numbers.map { (CBORValue($0), "again") })
    #expect(map == other && map.hashValue == other.hashValue && Set(map.keys).count == count)
    #expect(try CBORValue(decoding: CBORValue.map(map).encoded) == .map(other))
    map["one more"] = 1
    #expect(map != other)
  }

  @Test func `keys are ordered by major type then length then bytes`() {
    let map: CBORValue = ["aa": 1, "b": 2, 10: 3, -1: 4, 100: 5, .bool(false): 6, [100]: 7, [-1]: 8]
    #expect(map.encoded == bytes("a80a0318640520046162026261610181200881186407f406"))
  }

  @Test(arguments: [
    ("1800", "00"), ("1900ff", "18ff"), ("1a0000ffff", "19ffff"), ("1b00000000ffffffff", "1affffffff"),
    ("580101", "4101"), ("a202000100", "a201000200"),
  ])
  func `other than the canonical form is read but never written`(hex: String, canonical: String) throws {
    #expect(try CBORValue(decoding: bytes(hex)).encoded == bytes(canonical))
  }

  static let refused: [(String, CBORError.Code)] = [
    ("", .truncated), ("18", .truncated), ("1901", .truncated), ("41", .truncated), ("6261", .truncated),
    ("8201", .truncated), ("a101", .truncated), ("0000", .trailingBytes), ("f6f6", .trailingBytes),
    ("5f4101ff", .indefiniteLength), ("7f6161ff", .indefiniteLength), ("9f01ff", .indefiniteLength),
    ("bf0101ff", .indefiniteLength), ("ff", .indefiniteLength), ("c074", .unsupportedType),
    ("f90000", .unsupportedType), ("fa47c35000", .unsupportedType), ("f7", .unsupportedType),
    ("e0", .unsupportedType), ("f818", .unsupportedType), ("1c", .malformed), ("5d", .malformed),
    ("fc", .malformed), ("61ff", .invalidText), ("62c328", .invalidText), ("63eda080", .invalidText),
    ("a201010102", .duplicateKey), ("a2616101616102", .duplicateKey), ("a20101180102", .duplicateKey),
    // Lengths of a gigabyte and more, with nothing behind them.
    ("5a40000000", .truncated), ("7a40000000", .truncated), ("9a40000000", .truncated),
    ("ba40000000", .truncated), ("5bffffffffffffffff", .truncated), ("9bffffffffffffffff", .truncated),
    ("bbffffffffffffffff", .truncated),
  ]

  @Test(arguments: refused)
  func `what is not acceptable is refused with its reason`(hex: String, code: CBORError.Code) {
    let error = #expect(throws: CBORError.self) { try CBORValue(decoding: bytes(hex)) }
    #expect(error?.code == code)
  }

  @Test(arguments: [9, 100, 1000, 60_000])
  func `nesting is bounded`(depth: Int) {
    let error = #expect(throws: CBORError.self) {
      try CBORValue(decoding: [UInt8](repeating: 0x81, count: depth) + [0])
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.offset == 8)
  }

  @Test func `eight levels are read`() throws {
    #expect(throws: Never.self) { try CBORValue(decoding: [UInt8](repeating: 0x81, count: 8) + [0]) }
  }

  @Test func `bytes and items are bounded`() {
    let limits = CBORLimits(maximumBytes: 8, maximumDepth: 2, maximumItems: 3)
    #expect(throws: Never.self) { try CBORValue(decoding: bytes("820102"), limits: limits) }
    for hex in ["83010203", "480102030405060708"] {
      let error = #expect(throws: CBORError.self) { try CBORValue(decoding: bytes(hex), limits: limits) }
      #expect(error?.code == .tooLarge)
    }
  }

  @Test func `a prefix tells its length`() throws {
    let (value, length) = try CBORValue.decodePrefix(of: bytes("a10102ffff"))
    #expect(value == [1: 2])
    #expect(length == 3)
  }

  /// Whatever is read is written and read again as the same value; whatever is written is canonical.
  @Test(arguments: 0..<16)
  func `random values survive and mutations never trap`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<200 {
      let value = randomValue(&random, depth: 4)
      let encoded = value.encoded
      #expect(try CBORValue(decoding: encoded) == value)
      var mutated = encoded
      for _ in 0..<3 {
        mutated[Int(random.next() % UInt64(mutated.count))] = UInt8(truncatingIfNeeded: random.next())
        guard let read = try? CBORValue(decoding: mutated) else { continue }
        #expect(try CBORValue(decoding: read.encoded) == read)
      }
    }
  }

  private func randomValue(_ random: inout SeededGenerator, depth: Int) -> CBORValue {
    switch random.next() % (depth == 0 ? 6 : 8) {
    case 0: return .unsigned(random.next() >> (random.next() % 64))
    case 1: return .negative(random.next() >> (random.next() % 64))
    case 2: return .bytes((0..<(random.next() % 30)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case 3:
      return .text(
        String((0..<(random.next() % 30)).map { _ in "aä水😀".randomElement(using: &random) ?? "a" }))
    case 4: return .bool(random.next() % 2 == 0)
    case 5: return .null
    case 6: return .array((0..<(random.next() % 5)).map { _ in randomValue(&random, depth: depth - 1) })
    default:
      return .map(
        CBORMap(
          (0..<(random.next() % 5)).map { _ in
            (randomValue(&random, depth: 0), randomValue(&random, depth: depth - 1))
          }))
    }
  }
}

private func bytes(_ hex: String) -> [UInt8] {
  stride(from: 0, to: hex.utf8.count, by: 2).compactMap { offset in
    let start = hex.index(hex.startIndex, offsetBy: offset)
    return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
  }
}
