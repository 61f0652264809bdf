/// Bounds on what a decoder accepts.
public struct CBORLimits: Sendable, Hashable {
  /// The most bytes of one value.
  public var maximumBytes: Int
  /// The deepest nesting of arrays and maps.
  public var maximumDepth: Int
  /// The most values, including keys.
  public var maximumItems: Int

  public init(maximumBytes: Int = 64 << 10, maximumDepth: Int = 8, maximumItems: Int = 4096) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
    self.maximumItems = maximumItems
  }
}

/// Why bytes are not acceptable CBOR; the offset is where the fault begins.
public struct CBORError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. More codes may be added, so compare with the known ones.
  public enum Code: String, Sendable, Hashable {
    /// The bytes end inside a value, or a length exceeds them.
    case truncated
    /// There are bytes after the value.
    case trailingBytes
    /// More bytes, depth or values than ``CBORLimits`` allow.
    case tooLarge
    /// A length that is given only by a stop code.
    case indefiniteLength
    /// A tag, a floating-point number, or a simple value other than `false`, `true` and `null`.
    case unsupportedType
    /// Text that is not UTF-8.
    case invalidText
    /// A map with the same key twice.
    case duplicateKey
    /// Reserved additional information (28 to 30).
    case malformed
  }

  public let code: Code
  public let offset: Int

  public var description: String { "CBOR is not acceptable at byte \(offset): \(code)" }
}

extension CBORValue {
  /// Reads one value that is all of `bytes`. Integers and map keys may be encoded in other than the canonical way.
  public init(decoding bytes: some Collection<UInt8>, limits: CBORLimits = CBORLimits()) throws(CBORError) {
    let (value, length) = try Self.decodePrefix(of: bytes, limits: limits)
    guard length == bytes.count else { throw CBORError(code: .trailingBytes, offset: length) }
    self = value
  }

  /// Reads the value that `bytes` begin with, and tells how many bytes it takes.
  public static func decodePrefix(
    of bytes: some Collection<UInt8>, limits: CBORLimits = CBORLimits()
  ) throws(CBORError) -> (value: CBORValue, length: Int) {
    var decoder = CBORDecoder(bytes: Array(bytes.prefix(limits.maximumBytes)), limits: limits)
    decoder.isCut = bytes.count > limits.maximumBytes
    let value = try decoder.value(depth: 0)
    return (value, decoder.offset)
  }
}

/// One pass over bytes from outside: every length is compared with what is left before anything is allocated.
private struct CBORDecoder {
  let bytes: [UInt8]
  let limits: CBORLimits
  /// Whether there were more bytes than the limit allows.
  var isCut = false
  private(set) var offset = 0
  private var items = 0

  init(bytes: [UInt8], limits: CBORLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func value(depth: Int) throws(CBORError) -> CBORValue {
    let start = offset
    items += 1
    guard items <= limits.maximumItems else { throw CBORError(code: .tooLarge, offset: start) }
    let initial = try byte()
    let (major, information) = (initial >> 5, initial & 0x1f)
    if major == 7 { return try simple(information, start) }
    guard information != 31 else { throw CBORError(code: .indefiniteLength, offset: start) }
    let argument = try argument(information, start)
    switch major {
    case 0: return .unsigned(argument)
    case 1: return .negative(argument)
    case 2: return .bytes(Array(try content(argument)))
    case 3:
      let content = try content(argument)
      guard let text = String(validating: content, as: UTF8.self) else {
        throw CBORError(code: .invalidText, offset: start)
      }
      return .text(text)
    case 4:
      let count = try count(argument, depth, start, bytesEach: 1)
      var items: [CBORValue] = []
      items.reserveCapacity(count)
      for _ in 0..<count { items.append(try value(depth: depth + 1)) }
      return .array(items)
    case 5:
      let count = try count(argument, depth, start, bytesEach: 2)
      var map = CBORMap(minimumCapacity: min(count, CBORMap.indexingThreshold))
      for _ in 0..<count {
        let keyOffset = offset
        let key = try value(depth: depth + 1)
        guard map.insert(key, try value(depth: depth + 1)) else {
          throw CBORError(code: .duplicateKey, offset: keyOffset)
        }
      }
      return .map(map)
    default: throw CBORError(code: .unsupportedType, offset: start)
    }
  }

  private func simple(_ information: UInt8, _ start: Int) throws(CBORError) -> CBORValue {
    switch information {
    case 20: return .bool(false)
    case 21: return .bool(true)
    case 22: return .null
    case 31: throw CBORError(code: .indefiniteLength, offset: start)
    case 28...30: throw CBORError(code: .malformed, offset: start)
    default: throw CBORError(code: .unsupportedType, offset: start)
    }
  }

  private mutating func argument(_ information: UInt8, _ start: Int) throws(CBORError) -> UInt64 {
    switch information {
    case ..<24: return UInt64(information)
    case 24...27:
      var argument: UInt64 = 0
      for _ in 0..<(1 << (information - 24)) { argument = argument << 8 | UInt64(try byte()) }
      return argument
    default: throw CBORError(code: .malformed, offset: start)
    }
  }

  private mutating func byte() throws(CBORError) -> UInt8 {
    guard offset < bytes.count else { throw ended }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func content(_ length: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
    guard length <= UInt64(bytes.count - offset) else { throw ended }
    defer { offset += Int(length) }
    return bytes[offset..<(offset + Int(length))]
  }

  /// The number of entries, each of which takes `bytesEach` bytes at least.
  private func count(
    _ argument: UInt64, _ depth: Int, _ start: Int, bytesEach: UInt64
  ) throws(CBORError) -> Int {
    guard depth < limits.maximumDepth else { throw CBORError(code: .tooLarge, offset: start) }
    guard argument <= UInt64(bytes.count - offset) / bytesEach else { throw ended }
    return Int(argument)
  }

  private var ended: CBORError { CBORError(code: isCut ? .tooLarge : .truncated, offset: bytes.count) }
}
