internal import Foundation

/// A property list in Apple's binary format (`bplist00`), limited to what keyed archives use.
///
/// Objects are read one at a time and refer to others by number, so neither cycles nor depth matter.
struct BinaryPropertyList {
  enum Object: Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    /// A number to which the archive gives a meaning.
    case uid(Int)
    /// Numbers of objects.
    case array([Int])
    /// Numbers of objects: keys and values.
    case dictionary(keys: [Int], values: [Int])
  }

  /// The longest list that is read, in bytes, and the most objects.
  private static let limit = (bytes: 64 << 10, objects: 4096)

  let top: Int
  private let bytes: [UInt8]
  private let offsets: [Int]
  private let referenceSize: Int

  /// `nil` for content that is not such a list, or is larger than an entry of the earlier SDK.
  init?(_ content: Data) {
    guard content.count <= Self.limit.bytes, content.count >= 40, content.starts(with: Data("bplist00".utf8))
    else { return nil }
    bytes = Array(content)
    let trailer = bytes.count - 32
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.number(bytes, at: trailer + 8, size: 8), (1...Self.limit.objects).contains(count),
      let top = Self.number(bytes, at: trailer + 16, size: 8), top < count,
      let table = Self.number(bytes, at: trailer + 24, size: 8), table <= trailer - count * offsetSize
    else { return nil }
    self.top = top
    let content = bytes
    let offsets = (0..<count).compactMap {
      Self.number(content, at: table + $0 * offsetSize, size: offsetSize)
    }
    guard offsets.count == count, offsets.allSatisfy({ $0 < trailer }) else { return nil }
    self.offsets = offsets
  }

  /// The object with the number `number`; `nil` when there is none, or when archives of the earlier SDK have no such kind of object.
  func object(_ number: Int) -> Object? {
    guard offsets.indices.contains(number) else { return nil }
    let place = offsets[number]
    let low = Int(bytes[place] & 0x0F)
    switch bytes[place] >> 4 {
    case 0x0:
      switch low {
      case 0: return .null
      case 8: return .bool(false)
      case 9: return .bool(true)
      default: return nil
      }
    case 0x1: return integer(at: place + 1, size: low).map { .integer($0) }
    case 0x2: return real(at: place + 1, size: low).map { .real($0) }
    case 0x5:
      guard let (start, count) = span(place, low), let found = slice(start, count),
        found.allSatisfy({ $0 < 0x80 })
      else { return nil }
      return .text(String(decoding: found, as: UTF8.self))
    case 0x6:
      guard let (start, count) = span(place, low), let found = slice(start, 2 * count) else { return nil }
      let units = stride(from: found.startIndex, to: found.endIndex, by: 2).map {
        UInt16(found[$0]) << 8 | UInt16(found[$0 + 1])
      }
      return .text(String(decoding: units, as: UTF16.self))
    case 0x8: return Self.number(bytes, at: place + 1, size: low + 1).map { .uid($0) }
    case 0xA:
      guard let (start, count) = span(place, low) else { return nil }
      return references(start, count).map { .array($0) }
    case 0xD:
      guard let (start, count) = span(place, low), let keys = references(start, count),
        let values = references(start + count * referenceSize, count)
      else { return nil }
      return .dictionary(keys: keys, values: values)
    default: return nil
    }
  }

  /// The start of an object's content and the number of its parts, which is in its first byte or in a number behind it.
  private func span(_ place: Int, _ low: Int) -> (start: Int, count: Int)? {
    guard low == 0x0F else { return (place + 1, low) }
    guard place + 1 < bytes.count, bytes[place + 1] >> 4 == 0x1 else { return nil }
    let size = 1 << Int(bytes[place + 1] & 0x0F)
    guard size <= 8, let count = Self.number(bytes, at: place + 2, size: size), count <= bytes.count else {
      return nil
    }
    return (place + 2 + size, count)
  }

  private func references(_ start: Int, _ count: Int) -> [Int]? {
    guard slice(start, count * referenceSize) != nil else { return nil }
    return (0..<count).compactMap { Self.number(bytes, at: start + $0 * referenceSize, size: referenceSize) }
  }

  private func slice(_ start: Int, _ count: Int) -> ArraySlice<UInt8>? {
    start <= bytes.count && count <= bytes.count - start ? bytes[start..<start + count] : nil
  }

  /// Signed with eight bytes, unsigned with fewer.
  private func integer(at place: Int, size exponent: Int) -> Int64? {
    guard exponent <= 3, let found = slice(place, 1 << exponent) else { return nil }
    return Int64(bitPattern: found.reduce(0) { $0 << 8 | UInt64($1) })
  }

  private func real(at place: Int, size exponent: Int) -> Double? {
    guard let found = slice(place, 1 << exponent) else { return nil }
    let bits = found.reduce(0) { $0 << 8 | UInt64($1) }
    switch exponent {
    case 2: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 3: return Double(bitPattern: bits)
    default: return nil
    }
  }

  /// An unsigned number; `nil` beyond `Int32.max`, which no offset in a list exceeds, or beyond the end.
  private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> Int? {
    guard (1...8).contains(size), place >= 0, place <= bytes.count - size else { return nil }
    let number = bytes[place..<place + size].reduce(0) { $0 << 8 | UInt64($1) }
    return number <= UInt64(Int32.max) ? Int(number) : nil
  }
}
