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
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
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
      // What needs no escape is copied in pieces.
      var start = 0
      for (place, byte) in bytes.enumerated() where isEscaped(byte) {
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<place]))
        start = place + 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          output.append(UInt8(ascii: "\\"))
          output.append(byte)
        case 0x0A: output.append(contentsOf: #"\n"#.utf8)
        case 0x0D: output.append(contentsOf: #"\r"#.utf8)
        case 0x09: output.append(contentsOf: #"\t"#.utf8)
        default: output.append(contentsOf: Hexadecimal.escape(UInt16(byte)).utf8)
        }
      }
      output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    output.append(UInt8(ascii: "\""))
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
