internal import Bytes
internal import Tracing

/// Which trace a piece of work belongs to, and below which span: `traceparent` of W3C Trace Context.
///
/// https://www.w3.org/TR/trace-context/#traceparent-header
struct TraceParent: Sendable, Hashable {
  /// 16 bytes and 8 bytes in lower-case hexadecimal digits, not all zero.
  let traceID: String
  let spanID: String

  /// Whether the caller keeps the trace.
  let isSampled: Bool

  static let header = "traceparent"
}

extension TraceParent {
  /// A new span: of the same trace as `parent`, or of a new one.
  ///
  /// - Parameter random: 24 bytes.
  init(below parent: TraceParent?, isSampled: Bool, random: [UInt8]) {
    traceID = parent?.traceID ?? random.prefix(16).hexadecimal
    spanID = random.suffix(8).hexadecimal
    self.isSampled = isSampled
  }

  /// - Returns: `nil` for a text that the specification says to ignore.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    // Later versions may add members after a hyphen.
    guard (55...512).contains(bytes.count),
      bytes.prefix(55).allSatisfy({ Hexadecimal.isLowercaseDigit($0) || $0 == 0x2D })
    else { return nil }
    let parts = text.prefix(55).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [2, 32, 16, 2], parts[0] != "ff", let flags = UInt8(parts[3], radix: 16),
      parts[0] == "00" ? bytes.count == 55 : bytes.count == 55 || bytes[55] == 0x2D,
      parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
    else { return nil }
    self.init(traceID: String(parts[1]), spanID: String(parts[2]), isSampled: flags & 1 == 1)
  }

  var text: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }
}

extension InstrumentationContext {
  private enum Key: InstrumentationContextKey { typealias Value = TraceParent }

  /// The span that work in this context belongs to.
  var traceParent: TraceParent? {
    get { self[Key.self] }
    set { self[Key.self] = newValue }
  }
}
