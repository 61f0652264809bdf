internal import Bytes

/// Writes the data types of SSH (RFC 4251 §5).
package struct SSHWriter: Sendable {
  package private(set) var bytes: [UInt8]

  /// - Parameter bytes: What was written before.
  package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  package mutating func boolean(_ value: Bool) { bytes.append(value ? 1 : 0) }

  package mutating func uint32(_ value: UInt32) { bytes += value.bigEndianBytes }

  package mutating func uint64(_ value: UInt64) { bytes += value.bigEndianBytes }

  /// - Precondition: Fewer than 4 GiB.
  package mutating func string(_ value: some Collection<UInt8>) {
    uint32(UInt32(value.count))
    bytes += value
  }

  package mutating func text(_ value: String) { string(Array(value.utf8)) }

  /// An `mpint` from 0 on: big-endian bytes, with or without leading zeros.
  package mutating func number(_ digits: some Collection<UInt8>) {
    let digits = digits.drop { $0 == 0 }
    guard let first = digits.first else { return string([]) }
    string(first >= 0x80 ? [0] + digits : Array(digits))
  }
}
