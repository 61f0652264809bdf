/// Reads the data types of SSH (RFC 4251 §5), one after the other, and never past the end.
package struct SSHReader: Sendable {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

  /// Whether everything has been read.
  package var isAtEnd: Bool { rest.isEmpty }

  package mutating func byte() throws(SSHFormatError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .truncated }
    return byte
  }

  /// A `boolean`: 0 or 1. The RFC reads other values as true, and forbids writing them; they are refused.
  package mutating func boolean() throws(SSHFormatError) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw SSHFormatError("A boolean is neither 0 nor 1.")
    }
  }

  package mutating func uint32() throws(SSHFormatError) -> UInt32 {
    guard rest.count >= 4 else { throw .truncated }
    defer { rest = rest.dropFirst(4) }
    return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  package mutating func uint64() throws(SSHFormatError) -> UInt64 {
    let (high, low) = (try uint32(), try uint32())
    return UInt64(high) << 32 | UInt64(low)
  }

  /// A `string`: any bytes, after their count.
  package mutating func string() throws(SSHFormatError) -> [UInt8] {
    let length = try uint32()
    guard let count = Int(exactly: length), count <= rest.count else { throw .truncated }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// A `string` that is UTF-8.
  package mutating func text() throws(SSHFormatError) -> String {
    guard let text = String(validating: try string(), as: UTF8.self) else {
      throw SSHFormatError("A text is not valid UTF-8.")
    }
    return text
  }

  /// An `mpint` from 0 on, without leading zeros.
  ///
  /// - Parameter limit: The most bytes that the number has.
  package mutating func number(limit: Int) throws(SSHFormatError) -> [UInt8] {
    let bytes = try string()
    guard let first = bytes.first else { return [] }
    guard first < 0x80 else { throw SSHFormatError("A number is below zero.") }
    guard first != 0 || bytes.count > 1 && bytes[1] >= 0x80 else {
      throw SSHFormatError("A number has a leading zero that it does not need.")
    }
    let digits = first == 0 ? Array(bytes.dropFirst()) : bytes
    guard digits.count <= limit else { throw SSHFormatError("A number has more than \(limit) bytes.") }
    return digits
  }

  /// All bytes that are left.
  package mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// Throws unless everything has been read.
  package func end() throws(SSHFormatError) {
    guard rest.isEmpty else { throw .leftOver }
  }
}
