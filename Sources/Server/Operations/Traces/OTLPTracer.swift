internal import Concurrency
internal import Tracing

/// Makes spans, and gives those of sampled traces to a ``SpanQueue``.
///
/// swift-otel is not used, because it is not in the registries that Sealring is built from.
struct OTLPTracer: Tracer {
  let queue: SpanQueue

  /// The part of the traces begun here that is kept, from 0 to 1. A trace begun elsewhere is kept if its caller keeps it.
  let ratio: Double
  let randomBytes: @Sendable (Int) -> [UInt8]

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> OTLPSpan {
    var context = context()
    let parent = context.traceParent
    let random = randomBytes(24)
    let span = TraceParent(
      below: parent, isSampled: parent?.isSampled ?? isKept(random), random: random)
    context.traceParent = span
    return OTLPSpan(
      context: context, identity: span, parentID: parent?.spanID, kind: kind,
      start: instant().nanosecondsSinceEpoch, queue: span.isSampled ? queue : nil,
      state: Locked(OTLPSpan.State(name: operationName)))
  }

  /// Decides by the trace's id, so that servers that see the same trace agree.
  private func isKept(_ random: [UInt8]) -> Bool {
    let number = random.prefix(16).suffix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Double(number) < ratio * Double(UInt64(1) << 56)
  }

  func forceFlush() {}

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    guard let text = extractor.extract(key: TraceParent.header, from: carrier) else { return }
    if let parent = TraceParent(text) { context.traceParent = parent }
  }

  func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let span = context.traceParent else { return }
    injector.inject(span.text, forKey: TraceParent.header, into: &carrier)
  }
}
