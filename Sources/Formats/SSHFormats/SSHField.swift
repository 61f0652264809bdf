internal import Bytes

/// A value of one of the data types of SSH (RFC 4251 §5), of which messages consist.
package enum SSHField: Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case uint32(UInt32)
  case uint64(UInt64)
  /// Any bytes, fewer than 4 GiB, after their count.
  case string([UInt8])
  case text(String)
  /// An `mpint` from 0 on: big-endian bytes, with or without leading zeros.
  case number([UInt8])
  /// Fields that were written before.
  case written([UInt8])

  /// A `string` that holds fields of its own.
  package static func nested(_ fields: [SSHField]) -> SSHField { .string(bytes(fields)) }

  package static func bytes(_ fields: [SSHField]) -> [UInt8] { fields.flatMap(\.bytes) }

  private var bytes: [UInt8] {
    switch self {
    case .byte(let value): return [value]
    case .boolean(let value): return [value ? 1 : 0]
    case .uint32(let value): return value.bigEndianBytes
    case .uint64(let value): return value.bigEndianBytes
    case .string(let value): return UInt32(value.count).bigEndianBytes + value
    case .text(let value): return SSHField.string(Array(value.utf8)).bytes
    case .number(let value):
      let digits = value.drop { $0 == 0 }
      let sign: [UInt8] = digits.first.map { $0 >= 0x80 } == true ? [0] : []
      return SSHField.string(sign + digits).bytes
    case .written(let value): return value
    }
  }
}
