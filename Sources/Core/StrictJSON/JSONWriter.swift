internal import Bytes

extension JSONValue {
  /// The compact UTF-8 text of this value; members in their order.
  public var serialized: [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(256)
    write(to: &output)
    return output
  }

  /// The compact text of this value.
  public var text: String { String(decoding: serialized, as: UTF8.self) }

  /// Appends the compact UTF-8 text of this value to `output`.
  public func write(to output: inout [UInt8]) {
    switch self {
    case .null: JSONValue.write("null" as StaticString, to: &output)
    case .bool(let value): JSONValue.write((value ? "true" : "false") as StaticString, to: &output)
    case .integer(let value): output.append(contentsOf: String(value).utf8)
    case .number(let value): output.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let value): JSONValue.write(value, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object): object.write(to: &output)
    }
  }

  static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { bytes in
      let words = UnsafeRawBufferPointer(bytes)
      // What needs no escape is looked at in words and copied in pieces.
      var (start, place) = (0, 0)
      while place < bytes.count {
        if place + 8 <= bytes.count,
          !words.loadUnaligned(fromByteOffset: place, as: UInt64.self).hasEscapedByte
        {
          place += 8
          continue
        }
        let byte = bytes[place]
        place += 1
        guard isEscaped(byte) else { continue }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<(place - 1)]))
        start = place
        writeEscape(of: byte, to: &output)
      }
      output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    output.append(UInt8(ascii: "\""))
  }

  static func writeEscape(of byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      output.append(UInt8(ascii: "\\"))
      output.append(byte)
    case 0x0A: write(#"\n"# as StaticString, to: &output)
    case 0x0D: write(#"\r"# as StaticString, to: &output)
    case 0x09: write(#"\t"# as StaticString, to: &output)
    default: output.append(contentsOf: Hexadecimal.escape(UInt16(byte)).utf8)
    }
  }

  private static func write(_ text: StaticString, to output: inout [UInt8]) {
    output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}

extension JSONObject {
  /// The compact UTF-8 text of this object; members in their order.
  public var serialized: [UInt8] { JSONValue.object(self).serialized }

  func write(to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    forEachMember { name, value in
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      JSONValue.write(name, to: &output)
      output.append(UInt8(ascii: ":"))
      value.write(to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}
