/// A message between server and worker: four bytes of length, one for the kind, then UTF-8.
struct ScriptMessage: Sendable {
  enum Kind: UInt8, Sendable {
    // To the worker.
    case run = 0x52
    case answer = 0x41
    case refusal = 0x45
    // From the worker.
    case ready = 0x59
    case unable = 0x55
    case call = 0x43
    /// A line of the script's log: level and text. The script keeps running.
    case log = 0x4C
    case done = 0x44
    case failed = 0x58
    case timeIsUp = 0x54
  }

  var kind: Kind
  var text: [UInt8]

  static let headerCount = 5

  init(_ kind: Kind, _ text: some Sequence<UInt8> = []) {
    self.kind = kind
    self.text = Array(text)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerCount + text.count)
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: text.count >> shift))
    }
    bytes.append(kind.rawValue)
    bytes += text
    return bytes
  }

  /// The kind and the length that the first bytes of a message tell; `nil` when they are not valid.
  static func header(_ bytes: some Collection<UInt8>) -> (kind: Kind, count: Int)? {
    guard bytes.count >= headerCount else { return nil }
    let first = Array(bytes.prefix(headerCount))
    guard let kind = Kind(rawValue: first[4]) else { return nil }
    return (kind, first[..<4].reduce(0) { $0 << 8 | Int($1) })
  }

  /// Whether `buffer` begins with a whole message.
  static func isWhole(in buffer: [UInt8]) -> Bool {
    guard buffer.count >= headerCount else { return false }
    // `take` refuses what is not a message.
    return header(buffer).map { buffer.count >= headerCount + $0.count } ?? true
  }

  /// Takes the first message out of `buffer`; `nil` while it is not complete.
  ///
  /// - Throws: ``ScriptError`` when the bytes cannot be a message, or the message is longer than `limit`.
  static func take(from buffer: inout [UInt8], limit: Int) throws(ScriptError) -> ScriptMessage? {
    guard buffer.count >= headerCount else { return nil }
    guard let (kind, count) = header(buffer) else {
      throw ScriptError(.worker, "the worker sent an unknown message")
    }
    guard count <= limit else {
      throw ScriptError(.output, "the script's result or call has \(count) bytes, more than \(limit)")
    }
    guard buffer.count >= headerCount + count else { return nil }
    defer { buffer.removeSubrange(..<(headerCount + count)) }
    return ScriptMessage(kind, buffer[headerCount..<headerCount + count])
  }
}
