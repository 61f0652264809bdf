internal import Bytes
package import Foundation

/// The JSON form of stored records. Dates are seconds since 1970, with fractions; ISO 8601 text is read as well.
package enum RecordCoder {
  package static func encode(_ record: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    return try encoder.encode(record)
  }

  package static func decode<Record: Decodable>(_ type: Record.Type, from data: Data) throws -> Record {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSince1970: seconds) }
      let text = try container.decode(String.self)
      if let date = Date(iso8601: text) { return date }
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date")
    }
    return try decoder.decode(Record.self, from: data)
  }
}

extension Date {
  /// Microseconds since 1970, for indexes: records keep their order.
  package var microseconds: Int64 {
    Int64(max(-9e15, min(9e15, (timeIntervalSince1970 * 1_000_000).rounded())))
  }
}
