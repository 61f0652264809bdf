/// One measured value; printed as one line of JSON, so that scripts can read it and people too.
public struct Measurement: Sendable {
  public let name: String
  public let value: Double
  public let unit: String

  public init(_ name: String, _ value: Double, _ unit: String) {
    self.name = name
    self.value = value
    self.unit = unit
  }

  /// `{"name":…,"value":…,"unit":…}` with three decimals. Names and units are plain ASCII words.
  public var line: String {
    let rounded = (value * 1000).rounded() / 1000
    return "{\"name\":\"\(name)\",\"value\":\(rounded),\"unit\":\"\(unit)\"}"
  }

  /// Prints a value.
  public static func emit(_ name: String, _ value: Double, _ unit: String) {
    print(Measurement(name, value, unit).line)
  }
}

extension Sequence<Double> {
  /// The middle value, the mean of the two middle ones for an even count, and 0 without values.
  public var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return 0 }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}

extension [Double] {
  /// The value below which that share of the sorted values lies.
  public func percentile(_ share: Double) -> Double {
    isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
  }
}
