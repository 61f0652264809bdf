internal import Foundation

/// When the runs of an open loop begin: evenly at the full rate, after a ramp in which the rate rises in a straight line.
///
/// The times follow from the number of a run alone. Nothing that a server does moves them, which is what keeps a slow
/// server from being asked less, and its latency from being hidden (coordinated omission).
package struct ArrivalSchedule: Sendable, Equatable {
  private let rate: Double
  private let ramp: Double

  /// How many runs begin during the ramp.
  private let inRamp: Double

  /// - Parameters:
  ///   - rate: runs a second, more than 0.
  ///   - ramp: how long the rate takes to rise from 0.
  package init(rate: Double, ramp: Duration) {
    self.rate = rate
    self.ramp = ramp / .seconds(1)
    inRamp = rate * self.ramp / 2
  }

  /// When run `number`, from 0, is to begin, from the start of the load.
  package func time(of number: Int) -> Duration {
    let number = Double(number)
    // The area below the rising rate is rate · t² / (2 · ramp).
    let seconds =
      number < inRamp ? (2 * ramp * number / rate).squareRoot() : ramp + (number - inRamp) / rate
    return .seconds(seconds)
  }

  /// How many runs begin before `time`.
  package func count(before time: Duration) -> Int {
    let seconds = time / .seconds(1)
    guard seconds > 0 else { return 0 }
    let estimate =
      seconds < ramp ? rate * seconds * seconds / (2 * ramp) : inRamp + (seconds - ramp) * rate
    // Rounding may have put the estimate on either side of a run.
    var count = Int(estimate.rounded(.down))
    while self.time(of: count) < time { count += 1 }
    while count > 0, self.time(of: count - 1) >= time { count -= 1 }
    return count
  }
}
