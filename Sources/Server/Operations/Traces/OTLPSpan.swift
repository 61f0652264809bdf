internal import Bytes
internal import Concurrency
internal import StrictJSON
internal import Tracing

/// A span that is written in the JSON encoding of OpenTelemetry's protocol.
///
/// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
struct OTLPSpan: Span {
  struct State: Sendable {
    var name: String
    var attributes = SpanAttributes()
    var status: SpanStatus?
    var error: String?
    var isEnded = false
  }

  let context: InstrumentationContext
  let identity: TraceParent
  let parentID: String?
  let kind: SpanKind
  let start: UInt64

  /// Takes the span when it ends; `nil` for one that is not kept.
  let queue: SpanQueue?
  let state: Locked<State>

  /// Longest text of an attribute in bytes; the rest is cut off.
  private static let longestText = 256

  var isRecording: Bool { queue != nil && !state.withLock { $0.isEnded } }

  var operationName: String {
    get { state.withLock { $0.name } }
    nonmutating set { change { $0.name = newValue } }
  }

  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    nonmutating set { change { $0.attributes = newValue } }
  }

  func setStatus(_ status: SpanStatus) { change { $0.status = status } }

  /// Records only the error's type, because its text may quote a client.
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    let type = "\(type(of: error))"
    change { $0.error = type }
  }

  // The server has neither events nor links.
  func addEvent(_ event: SpanEvent) {}
  func addLink(_ link: SpanLink) {}

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let isFirst = state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
    guard isFirst, let queue else { return }
    queue.add(json(until: instant().nanosecondsSinceEpoch))
  }

  private func change(_ change: @Sendable (inout State) -> Void) {
    guard queue != nil else { return }
    state.withLock { if !$0.isEnded { change(&$0) } }
  }

  private func json(until end: UInt64) -> JSONObject {
    let state = state.withLock { $0 }
    var attributes: [(String, JSONObject)] = []
    state.attributes.forEach { name, value in attributes.append((name, Self.json(value))) }
    if let error = state.error { attributes.append(("error.type", ["stringValue": .string(error)])) }
    var span: JSONObject = [
      "traceId": .string(identity.traceID), "spanId": .string(identity.spanID), "name": .string(state.name),
      "kind": .integer(kind == .server ? 2 : kind == .client ? 3 : 1),
      "startTimeUnixNano": .string("\(start)"), "endTimeUnixNano": .string("\(max(start, end))"),
      "attributes": .array(
        attributes.sorted { $0.0 < $1.0 }.map { ["key": .string($0.0), "value": .object($0.1)] }),
    ]
    if let parentID { span["parentSpanId"] = .string(parentID) }
    if let status = state.status { span["status"] = ["code": .integer(status.code == .error ? 2 : 1)] }
    return span
  }

  private static func json(_ value: SpanAttribute) -> JSONObject {
    switch value {
    case .int32(let number): ["intValue": .string("\(number)")]
    case .int64(let number): ["intValue": .string("\(number)")]
    case .double(let number) where number.isFinite: ["doubleValue": .number(number)]
    case .bool(let isTrue): ["boolValue": .bool(isTrue)]
    case .string(let text): ["stringValue": .string(text.bounded(to: longestText))]
    default: ["stringValue": .string("\(value)".bounded(to: longestText))]
    }
  }
}
