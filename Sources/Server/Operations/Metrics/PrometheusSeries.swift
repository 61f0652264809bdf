internal import Concurrency
internal import CoreMetrics

/// One metric with one combination of labels.
final class PrometheusSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
  TimerHandler
{
  private struct State: Sendable {
    /// The value, or a histogram's sum of values.
    var value = 0.0

    /// A histogram's counts by bucket, the last for values above all bounds; empty for other kinds.
    var counts: [Int]
  }

  private let state: Locked<State>

  init(isHistogram: Bool) {
    state = Locked(
      State(counts: isHistogram ? Array(repeating: 0, count: PrometheusMetrics.buckets.count + 1) : []))
  }

  // MARK: Values

  func increment(by amount: Int64) { increment(by: Double(amount)) }

  func increment(by amount: Double) {
    guard amount.isFinite else { return }
    state.withLock { $0.value += amount }
  }

  func decrement(by amount: Double) { increment(by: -amount) }

  func reset() {
    state.withLock { state in
      state.value = 0
      state.counts = state.counts.map { _ in 0 }
    }
  }

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { state.withLock { $0.value = value } }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    guard value.isFinite else { return }
    state.withLock { state in
      guard !state.counts.isEmpty else { return state.value = value }
      state.value += value
      let index = PrometheusMetrics.buckets.firstIndex { value <= $0 } ?? PrometheusMetrics.buckets.count
      state.counts[index] += 1
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

  // MARK: Text

  /// Adds the series's lines: one, or a histogram's buckets, each with those below it, its sum and its count.
  func write(name: String, labels: String, to text: inout String) {
    let state = state.withLock { $0 }
    let suffix = labels.isEmpty ? "" : "{\(labels)}"
    guard !state.counts.isEmpty else {
      text += "\(name)\(suffix) \(Self.number(state.value))\n"
      return
    }
    var total = 0
    for (bound, count) in zip(PrometheusMetrics.buckets + [.infinity], state.counts) {
      total += count
      let comma = labels.isEmpty ? "" : ","
      text += "\(name)_bucket{\(labels)\(comma)le=\"\(Self.number(bound))\"} \(total)\n"
    }
    text += "\(name)_sum\(suffix) \(Self.number(state.value))\n\(name)_count\(suffix) \(total)\n"
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }
}
