internal import Bytes

extension JSONValue {
  /// The compact UTF-8 text of this value; members in their order.
  public var serialized: [UInt8] {
    JSONTextBuffer.withText {
      write(into: &$0)
    } read: {
      [UInt8]($0)
    }
  }

  /// The compact text of this value.
  public var text: String { String(decoding: serialized, as: UTF8.self) }

  /// Appends the compact UTF-8 text of this value to `output`.
  public func write(to output: inout [UInt8]) { output.append(contentsOf: serialized) }

  fileprivate func write(into output: inout JSONTextBuffer) {
    switch self {
    case .null: output.append("null" as StaticString)
    case .bool(let value): output.append((value ? "true" : "false") as StaticString)
    case .integer(let value): output.append(String(value))
    case .number(let value): output.append(value.isFinite ? "\(value)" : "null")
    case .string(let value): JSONValue.write(value, into: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        element.write(into: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object): object.write(into: &output)
    }
  }

  fileprivate static func write(_ text: String, into output: inout JSONTextBuffer) {
    output.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { bytes in
      var start = 0
      while true {
        let end = plainEnd(bytes, from: start)
        output.append(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        guard end < bytes.count else { break }
        writeEscape(of: bytes[end], into: &output)
        start = end + 1
      }
    }
    output.append(UInt8(ascii: "\""))
  }

  /// The position of the first byte at or after `start` that needs an escape, or the end. It checks eight bytes at a time.
  @inline(__always)
  private static func plainEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let words = UnsafeRawBufferPointer(bytes)
    var place = start
    while place + 8 <= bytes.count,
      !words.loadUnaligned(fromByteOffset: place, as: UInt64.self).hasEscapedByte
    {
      place += 8
    }
    while place < bytes.count, !isEscaped(bytes[place]) { place += 1 }
    return place
  }

  private static func writeEscape(of byte: UInt8, into output: inout JSONTextBuffer) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      output.append(UInt8(ascii: "\\"))
      output.append(byte)
    case 0x0A: output.append(#"\n"# as StaticString)
    case 0x0D: output.append(#"\r"# as StaticString)
    case 0x09: output.append(#"\t"# as StaticString)
    default: output.append(Hexadecimal.escape(UInt16(byte)))
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}

extension JSONObject {
  /// The compact UTF-8 text of this object; members in their order.
  public var serialized: [UInt8] { JSONValue.object(self).serialized }

  /// Passes the bytes of ``serialized`` to `body`, usually without an array for them.
  package func withSerialized<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    JSONTextBuffer.withText {
      write(into: &$0)
    } read: {
      body($0)
    }
  }

  fileprivate func write(into output: inout JSONTextBuffer) {
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    forEachMember { name, value in
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      JSONValue.write(name, into: &output)
      output.append(UInt8(ascii: ":"))
      value.write(into: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}
