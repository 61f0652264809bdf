internal import Foundation
internal import JourneyStore

/// The plots of one span of time, made of stored counts.
struct ActivityPlots {
  /// A span that can be chosen. The raw value is the address's parameter.
  enum Span: String, CaseIterable, Sendable {
    case hour, day, week, month, year

    /// Seconds.
    var length: Int { seconds.length }

    var grain: ActivityCount.Grain { self == .hour ? .minute : .hour }

    /// The seconds that one place of the axis stands for. A plot has a few dozen places.
    var step: Int { seconds.step }

    /// How often an open page asks whether its plots have changed. Long spans change slowly, and are much to add up. Seconds.
    var refreshInterval: Int { seconds.refreshInterval }

    private var seconds: (length: Int, step: Int, refreshInterval: Int) {
      switch self {
      case .hour: (3600, 60, 15)
      case .day: (86_400, 3600, 60)
      case .week: (7 * 86_400, 6 * 3600, 300)
      case .month: (30 * 86_400, 86_400, 300)
      case .year: (365 * 86_400, 7 * 86_400, 300)
      }
    }

    var count: Int { (length + step - 1) / step }
  }

  let span: Span

  /// The beginning of the first place, in seconds since 1970.
  let start: Int

  init(_ span: Span, now: Date) {
    self.span = span
    let last = Int(now.timeIntervalSince1970)
    start = last - last % span.step - span.step * (span.count - 1)
  }

  var from: Date { Date(timeIntervalSince1970: Double(start)) }
  var to: Date { Date(timeIntervalSince1970: Double(start + span.step * span.count)) }

  /// The labels under the axis, in UTC.
  var places: [String] {
    let style = Date.VerbatimFormatStyle(
      format: span == .hour || span == .day
        ? "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)"
        : "\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits)",
      timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    return (0..<span.count).map {
      Date(timeIntervalSince1970: Double(start + $0 * span.step)).formatted(style)
    }
  }

  /// The sums of each label, by place.
  func sums(_ counts: [ActivityCount]) -> [String: [Double]] {
    var sums: [String: [Double]] = [:]
    for count in counts {
      let place = (count.period - start) / span.step
      guard count.period >= start, place < span.count else { continue }
      sums[count.label, default: Array(repeating: 0, count: span.count)][place] += Double(count.amount)
    }
    return sums
  }

  /// The bound below which a share of the requests was answered, by place; `nil` for places without requests.
  func quantile(_ share: Double, _ counts: [ActivityCount]) -> [Double?] {
    let sums = bounds(counts)
    return (0..<span.count).map { place in
      Self.quantile(share, sums.map { ($0.bound, $0.values[place]) })
    }
  }

  /// The same bound for the whole span.
  func quantile(ofAll share: Double, _ counts: [ActivityCount]) -> Double? {
    Self.quantile(share, bounds(counts).map { ($0.bound, $0.values.reduce(0, +)) })
  }

  private func bounds(_ counts: [ActivityCount]) -> [(bound: Int, values: [Double])] {
    sums(counts).compactMap { label, values in Int(label).map { ($0, values) } }.sorted { $0.0 < $1.0 }
  }

  private static func quantile(_ share: Double, _ sums: [(bound: Int, count: Double)]) -> Double? {
    let all = sums.reduce(0) { $0 + $1.count }
    guard all > 0 else { return nil }
    var seen = 0.0
    for (bound, count) in sums {
      seen += count
      if seen >= all * share { return Double(bound) }
    }
    return nil
  }
}
