import ArgumentParser
import LoadTesting

/// A time span on the command line: `90`, `250ms`, `90s`, `5m`, `2h`; whole or with a fraction.
struct LoadSpan: ExpressibleByArgument {
  let duration: Duration

  static let help = "seconds, or such as 250ms, 90s, 5m, 2h"

  init?(argument: String) {
    let units: [(name: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
    let unit = units.first { argument.hasSuffix($0.name) }
    let digits = argument.dropLast(unit?.name.count ?? 0)
    guard digits.utf8.count <= 12, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(digits), case let seconds = number * (unit?.seconds ?? 1),
      seconds <= LoadPlan.longest / .seconds(1)
    else { return nil }
    duration = .seconds(seconds)
  }
}
