/// Reads the records of a file one by one, in constant memory.
///
/// A record is a line; in CSV, a quoted line feed belongs to the record (RFC 4180 §2.6).
struct RecordReader: ~Copyable {
  /// The number of a record's first line, from 1, and its bytes without the line end; `nil` when it is longer than
  /// ``RecordReader/longest``.
  typealias Record = (line: Int, bytes: [UInt8]?)

  /// Longest record, in bytes.
  static let longest = 64 << 10

  private let input: InputFile
  private let isCSV: Bool
  private var piece: ArraySlice<UInt8> = []
  private var line = 1

  init(_ input: InputFile, isCSV: Bool) { (self.input, self.isCSV) = (input, isCSV) }

  /// Returns the next record that is not empty; `nil` at the end.
  mutating func next() throws -> Record? {
    while true {
      let start = line
      var bytes: [UInt8] = []
      var isQuoted = false
      var (isTooLong, hasMore) = (false, false)
      while let byte = try nextByte() {
        hasMore = true
        if byte == UInt8(ascii: "\n") {
          line += 1
          if !isQuoted { break }
        }
        if isCSV, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        if bytes.count < Self.longest { bytes.append(byte) } else { isTooLong = true }
      }
      guard hasMore else { return nil }
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      if start == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      if isTooLong { return (start, nil) }
      if !bytes.isEmpty { return (start, bytes) }
    }
  }

  private mutating func nextByte() throws -> UInt8? {
    if piece.isEmpty { piece = try input.read()[...] }
    return piece.popFirst()
  }
}
