/// Reads server-sent events (HTML Living Standard §9.2.6) from pieces that are cut anywhere.
struct EventStreamParser {
  struct TooLarge: Error {}

  private let limit: Int
  private var line: [UInt8] = []
  private var data: [UInt8]?
  private var followsReturn = false
  private var isFirstLine = true

  /// The pause that the server requests before the next connection, in milliseconds.
  private(set) var retryMilliseconds: Int?

  /// - Parameter limit: The largest event that is read, in bytes.
  init(limit: Int) { self.limit = limit }

  /// The data of the events that `piece` completes. Comments and other fields are skipped.
  mutating func parse(_ piece: some Sequence<UInt8>) throws(TooLarge) -> [[UInt8]] {
    var events: [[UInt8]] = []
    for byte in piece {
      defer { followsReturn = byte == 0x0D }
      switch byte {
      case 0x0A where followsReturn: break  // The second half of a line's end.
      case 0x0A, 0x0D: if let event = endLine() { events.append(event) }
      default:
        guard line.count + (data?.count ?? 0) < limit else { throw TooLarge() }
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() -> [UInt8]? {
    defer { (line, isFirstLine) = ([], false) }
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    guard !line.isEmpty else {
      defer { data = nil }
      return data
    }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    var value = line.dropFirst(name.count + 1)
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: name, as: UTF8.self) {
    case "data": data = data.map { $0 + [0x0A] + value } ?? Array(value)
    case "retry": retryMilliseconds = Int(String(decoding: value, as: UTF8.self)) ?? retryMilliseconds
    default: break
    }
    return nil
  }
}
