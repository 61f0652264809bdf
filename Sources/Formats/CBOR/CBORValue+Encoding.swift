extension CBORValue {
  /// The canonical CTAP2 encoding (CTAP 2.1 §8): shortest integers and lengths, definite lengths, ordered keys.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .unsigned(let number): Self.appendHead(0, number, to: &bytes)
    case .negative(let number): Self.appendHead(1, number, to: &bytes)
    case .bytes(let content):
      Self.appendHead(2, UInt64(content.count), to: &bytes)
      bytes += content
    case .text(let text):
      let content = text.utf8
      Self.appendHead(3, UInt64(content.count), to: &bytes)
      bytes += content
    case .array(let items):
      Self.appendHead(4, UInt64(items.count), to: &bytes)
      for item in items { item.append(to: &bytes) }
    case .map(let map):
      Self.appendHead(5, UInt64(map.count), to: &bytes)
      for entry in map.canonicalEntries {
        bytes += entry.key
        entry.value.append(to: &bytes)
      }
    case .bool(let value): bytes.append(value ? 0xf5 : 0xf4)
    case .null: bytes.append(0xf6)
    }
  }

  private static func appendHead(_ major: UInt8, _ argument: UInt64, to bytes: inout [UInt8]) {
    let major = major << 5
    switch argument {
    case ..<24: bytes.append(major | UInt8(argument))
    case ...0xff: bytes += [major | 24, UInt8(argument)]
    case ...0xffff:
      bytes.append(major | 25)
      withUnsafeBytes(of: UInt16(argument).bigEndian) { bytes += $0 }
    case ...0xffff_ffff:
      bytes.append(major | 26)
      withUnsafeBytes(of: UInt32(argument).bigEndian) { bytes += $0 }
    default:
      bytes.append(major | 27)
      withUnsafeBytes(of: argument.bigEndian) { bytes += $0 }
    }
  }
}
