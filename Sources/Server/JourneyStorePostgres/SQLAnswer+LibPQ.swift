internal import Bytes
internal import JourneyStore

extension SQLAnswer {
  init(_ result: OpaquePointer, _ pq: LibPQ) {
    self.init()
    let width = pq.columnCount(result)
    let types = (0..<width).map { pq.columnType(result, $0) }
    rows = (0..<pq.rowCount(result)).map { row in
      (0..<width).map { column -> StoredValue in
        guard pq.isNull(result, row, column) == 0, let start = pq.value(result, row, column) else {
          return .null(.text)
        }
        let bytes = UnsafeBufferPointer(start: start, count: Int(pq.length(result, row, column)))
        return Self.value(bytes, type: types[Int(column)])
      }
    }
    columns = (0..<width).map { LibPQ.text(pq.columnName(result, $0)) }
    command = String(LibPQ.text(pq.commandStatus(result)).prefix { $0 != " " })
    count = Int(LibPQ.text(pq.commandTuples(result))) ?? 0
  }

  /// The value of a column, from PostgreSQL's text form.
  private static func value(_ bytes: UnsafeBufferPointer<UInt8>, type: UInt32) -> StoredValue {
    let text = { String(decoding: bytes, as: UTF8.self) }
    switch type {
    case 16: return .flag(bytes.first == UInt8(ascii: "t"))
    case 17: return Self.bytes(bytes).map(StoredValue.bytes) ?? .text(text())
    // int8, int2, int4
    case 20, 21, 23: return Int64(text()).map(StoredValue.integer) ?? .text(text())
    // float4, float8, numeric
    case 700, 701, 1700: return Double(text()).map(StoredValue.real) ?? .text(text())
    default: return .text(text())
    }
  }

  /// The bytes of either text form; the database's setting `bytea_output` says which one it sends.
  private static func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.starts(with: "\\x".utf8) else { return escaped(text[...]) }
    return Hexadecimal.decode(String(decoding: text.dropFirst(2), as: UTF8.self))
  }

  /// The form `escape`: printable characters as they are, a backslash twice, other bytes as a backslash and three octal digits.
  private static func escaped(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
    let backslash = UInt8(ascii: "\\")
    var (rest, bytes) = (text, [UInt8]())
    while let byte = rest.popFirst() {
      if byte != backslash {
        bytes.append(byte)
      } else if rest.first == backslash {
        bytes.append(backslash)
        rest = rest.dropFirst()
      } else {
        guard let byte = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(3)
      }
    }
    return bytes
  }
}
