internal import Foundation

/// The start times of an open loop's runs: evenly spaced at the full rate, after a ramp with a linearly rising rate.
///
/// Each time depends only on the number of the run. A slow server therefore gets no fewer requests, which would hide its latency
/// (coordinated omission).
package struct ArrivalSchedule: Sendable, Equatable {
  private let rate: Double
  private let ramp: Double

  /// The number of runs that begin during the ramp.
  private let inRamp: Double

  /// - Parameters:
  ///   - rate: runs per second, more than 0.
  ///   - ramp: the time in which the rate rises from 0.
  package init(rate: Double, ramp: Duration) {
    self.rate = rate
    self.ramp = ramp / .seconds(1)
    inRamp = rate * self.ramp / 2
  }

  /// The start time of run `number`, from 0, relative to the start of the load.
  package func time(of number: Int) -> Duration {
    let number = Double(number)
    // The area below the rising rate is rate · t² / (2 · ramp).
    let seconds =
      number < inRamp ? (2 * ramp * number / rate).squareRoot() : ramp + (number - inRamp) / rate
    return .seconds(seconds)
  }

  /// The number of runs that begin before `time`.
  package func count(before time: Duration) -> Int {
    let seconds = time / .seconds(1)
    guard seconds > 0 else { return 0 }
    let estimate =
      seconds < ramp ? rate * seconds * seconds / (2 * ramp) : inRamp + (seconds - ramp) * rate
    // Rounding may put the estimate on either side of a run.
    var count = Int(estimate.rounded(.down))
    while self.time(of: count) < time { count += 1 }
    while count > 0, self.time(of: count - 1) >= time { count -= 1 }
    return count
  }
}
