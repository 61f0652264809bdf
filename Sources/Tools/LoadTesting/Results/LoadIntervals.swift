/// The runs that ended in each second of a load, for plots. There are at most ``most`` intervals, which get longer instead.
package struct LoadIntervals: Sendable, Equatable {
  package struct Interval: Sendable, Equatable {
    package var completed = 0
    package var failed = 0
    package var latencies = Latencies(.coarse)

    mutating func add(_ other: Interval) {
      completed += other.completed
      failed += other.failed
      latencies.add(other.latencies)
    }
  }

  package static let most = 600

  /// The length of an interval in seconds, a power of two.
  package private(set) var seconds: Int = 1
  package private(set) var list: [Interval] = []

  package mutating func change(at time: Duration, _ body: (inout Interval) -> Void) {
    let second = Int(max(0, time / .seconds(1)))
    while second / seconds >= Self.most { widen() }
    let index = second / seconds
    while list.count <= index { list.append(Interval()) }
    body(&list[index])
  }

  /// Doubles the length of the intervals.
  private mutating func widen() {
    list = stride(from: 0, to: list.count, by: 2).map { index in
      var interval = list[index]
      if index + 1 < list.count { interval.add(list[index + 1]) }
      return interval
    }
    seconds *= 2
  }

  /// Adds the intervals of another process.
  ///
  /// - Parameter delay: The seconds by which the other process started later.
  package mutating func add(_ other: LoadIntervals, delay: Int) {
    for (index, interval) in other.list.enumerated() {
      change(at: .seconds(delay + index * other.seconds)) { $0.add(interval) }
    }
  }
}
