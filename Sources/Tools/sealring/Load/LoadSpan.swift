import ArgumentParser
import LoadTesting

/// A span of time on the command line: `90`, `90s`, `5m`, `2h`; whole or with a fraction.
struct LoadSpan: ExpressibleByArgument {
  let duration: Duration

  static let help = "seconds, or such as 90s, 5m, 2h"

  init?(argument: String) {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    let unit = argument.last.flatMap { units[$0] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    guard digits.utf8.count <= 12, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(digits), case let seconds = number * (unit ?? 1),
      seconds <= LoadPlan.longest / .seconds(1)
    else { return nil }
    duration = .seconds(seconds)
  }
}
