/// The positions of a plot's values in a picture, in the picture's own scale.
package struct PlotFrame: Sendable, Hashable {
  /// The position of a value in its place's part of the axis.
  package enum Stand: Sendable {
    /// In the middle; bars fill the place.
    case middle
    /// At the ends of the axis and between them: the first value at the beginning, the last at the end.
    case edges
  }

  package var width: Double
  package var height: Double
  package var left: Double
  package var right: Double
  package var top: Double
  package var bottom: Double

  /// The number of parts into which lines of the grid divide the axis of values.
  package var parts: Int

  /// About how many places are named under the axis.
  package var labels: Int
  package var stand: Stand

  /// Most places that are drawn.
  package var most: Int

  package init(
    width: Double, height: Double, left: Double, right: Double, top: Double, bottom: Double, parts: Int,
    labels: Int, stand: Stand, most: Int
  ) {
    (self.width, self.height) = (width, height)
    (self.left, self.right, self.top, self.bottom) = (left, right, top, bottom)
    (self.parts, self.labels, self.stand, self.most) = (max(1, parts), max(2, labels), stand, most)
  }

  var innerWidth: Double { width - left - right }
  var innerHeight: Double { height - top - bottom }

  /// The part of the axis that a place has when there are `count`.
  func step(_ count: Int) -> Double {
    switch stand {
    case .middle: innerWidth / Double(max(1, count))
    case .edges: count > 1 ? innerWidth / Double(count - 1) : 0
    }
  }

  func x(_ place: Int, of count: Int) -> Double {
    left + step(count) * (Double(place) + (stand == .middle ? 0.5 : 0))
  }

  func y(_ value: Double, ceiling: Double) -> Double { top + innerHeight * (1 - value / ceiling) }
}

/// Numbers of a plot.
package enum PlotNumber {
  /// The least of 1, 2 and 5 times a power of ten that is not below `value`: the end of an axis. 1 for values that are not above 0.
  package static func ceiling(above value: Double) -> Double {
    guard value > 0, value.isFinite, value < 1e300 else { return 1 }
    var power = 1.0
    while power * 10 < value { power *= 10 }
    while power >= value { power /= 10 }
    return [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= value } ?? value
  }

  /// For pictures: at most one digit behind the point.
  package static func text(_ value: Double) -> String { text(value, factor: 10) }

  /// For people who read an axis: two digits behind the point below 10, one above.
  static func label(_ value: Double) -> String { text(value, factor: abs(value) < 10 ? 100 : 10) }

  private static func text(_ value: Double, factor: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "0" }
    let scaled = (value * factor).rounded()
    return scaled.truncatingRemainder(dividingBy: factor) == 0
      ? String(Int(scaled / factor)) : String(scaled / factor)
  }
}
