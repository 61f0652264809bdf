internal import Histogram

/// Measured durations: an HDR histogram with three significant digits, from a microsecond to an hour.
package struct Latencies: Sendable {
  private var histogram: Histogram<UInt64>

  /// The exact maximum, in microseconds.
  private var longest: UInt64 = 0

  /// An hour in microseconds. Longer durations count as this long.
  package static let limit: UInt64 = 3_600_000_000

  /// The number of digits; `coarse` saves memory for many histograms.
  package enum Precision: Sendable { case standard, coarse }

  package init(_ precision: Precision = .standard) {
    histogram = Histogram(
      highestTrackableValue: Self.limit,
      numberOfSignificantValueDigits: precision == .standard ? .three : .two)
  }

  package mutating func record(_ duration: Duration) {
    record(microseconds: UInt64(max(0, duration / .microseconds(1))), count: 1)
  }

  private mutating func record(microseconds: UInt64, count: UInt64) {
    let value = min(microseconds, Self.limit)
    histogram.record(value, count: count)
    longest = max(longest, value)
  }

  package mutating func add(_ other: Latencies) {
    histogram.add(other.histogram)
    longest = max(longest, other.longest)
  }

  package var count: UInt64 { histogram.totalCount }
  package var maximum: Duration { .microseconds(longest) }

  /// The duration that this share of all values does not exceed.
  ///
  /// - Parameter percentile: from 0 to 100.
  package func percentile(_ percentile: Double) -> Duration {
    .microseconds(min(histogram.valueAtPercentile(percentile), longest))
  }
}

extension Latencies {
  /// The values and their counts, in the histogram's steps, as stored in a file.
  package var entries: [(microseconds: UInt64, count: UInt64)] {
    histogram.recordedValues().map { ($0.value, $0.count) }
  }

  /// The maximum in microseconds.
  package var longestMicroseconds: UInt64 { longest }

  /// Creates a histogram from a file's values.
  ///
  /// - Returns: `nil` for values that such a histogram cannot contain.
  package init?(
    _ entries: some Sequence<(microseconds: UInt64, count: UInt64)>, longest: UInt64,
    precision: Precision = .standard
  ) {
    self.init(precision)
    var total: UInt64 = 0
    for (value, count) in entries {
      let (sum, overflow) = total.addingReportingOverflow(count)
      guard count > 0, !overflow, sum <= UInt64(Int64.max),
        value <= histogram.highestEquivalentForValue(Self.limit)
      else { return nil }
      total = sum
      histogram.record(min(value, Self.limit), count: count)
    }
    guard longest <= Self.limit,
      total == 0 ? longest == 0 : histogram.valuesAreEquivalent(longest, histogram.maxRecorded)
    else { return nil }
    self.longest = longest
  }
}

extension Latencies: Equatable {
  package static func == (left: Latencies, right: Latencies) -> Bool {
    left.longest == right.longest && left.histogram.totalCount == right.histogram.totalCount
      && left.entries.elementsEqual(right.entries) { $0 == $1 }
  }
}
