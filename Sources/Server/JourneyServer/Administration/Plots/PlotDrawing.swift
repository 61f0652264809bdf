/// Numbers over time as a picture: bars that stand on each other, or lines. Templates draw its ``Shapes`` as SVG, so that names are escaped
/// as all text of pages is.
///
/// Every value can be read by pointing at it.
struct PlotDrawing {
  enum Form {
    case bars
    case lines
  }

  struct Series {
    var name: String

    /// One for each place of the axis; `nil` where there is none.
    var values: [Double?]
  }

  var form: Form
  var series: [Series]

  /// What stands under the axis, for each place; most are left out where there are many.
  var places: [String]

  /// Stands behind values, such as `ms`.
  var unit = ""

  /// Most places that are drawn: narrower bars could not be pointed at.
  static let mostPlaces = 400

  /// In pixels of the picture's own scale.
  private enum Measure {
    // As the template has it.
    static let width = 720.0
    static let height = 180.0
    static let left = 48.0
    static let right = 8.0
    static let top = 10.0
    static let bottom = 24.0
    static let labels = 6
  }

  private var count: Int { min(places.count, Self.mostPlaces) }
  private var innerWidth: Double { Measure.width - Measure.left - Measure.right }
  private var innerHeight: Double { Measure.height - Measure.top - Measure.bottom }

  /// The largest value that the axis has: a round number at or above all.
  private var top: Double {
    let values: [Double] =
      switch form {
      case .bars: (0..<count).map { place in series.reduce(0) { $0 + ($1.values[safe: place] ?? 0) } }
      case .lines: series.flatMap { $0.values.prefix(count).compactMap(\.self) }
      }
    return Self.rounded(above: values.filter(\.isFinite).max() ?? 0)
  }

  /// 1, 2 or 5 times a power of ten.
  static func rounded(above value: Double) -> Double {
    guard value > 1 else { return 1 }
    var power = 1.0
    while power * 10 < value { power *= 10 }
    return [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= value } ?? value
  }

  /// What is drawn, in the picture's own scale.
  struct Shapes {
    struct Grid {
      var y: String
      var text: String
      var textY: String
    }

    struct Bar {
      var series: Int
      var x: String
      var y: String
      var width: String
      var height: String
      var hover: String
    }

    struct Line {
      var series: Int
      var path: String
    }

    struct Dot {
      var series: Int
      var x: String
      var y: String
      var hover: String
    }

    struct Label {
      var isFirst: Bool
      var x: String
      var text: String
    }

    var grid: [Grid] = []
    var bars: [Bar] = []
    var lines: [Line] = []
    var dots: [Dot] = []
    var labels: [Label] = []
  }

  var shapes: Shapes {
    let top = top
    var shapes = Shapes()
    for part in 0...2 {
      let y = Measure.top + innerHeight * (1 - Double(part) / 2)
      shapes.grid.append(
        Shapes.Grid(
          y: Self.text(y), text: Self.text(top * Double(part) / 2) + unit, textY: Self.text(y + 4)))
    }
    let step = count == 0 ? innerWidth : innerWidth / Double(count)
    for place in 0..<count {
      switch form {
      case .bars: addBars(at: place, top: top, step: step, &shapes)
      case .lines: break
      }
    }
    if form == .lines { addLines(top: top, step: step, &shapes) }
    let every = max(1, (count + Measure.labels - 1) / Measure.labels)
    shapes.labels = stride(from: 0, to: count, by: every).map { place in
      Shapes.Label(
        isFirst: place == 0,
        x: Self.text(Measure.left + step * (Double(place) + (place == 0 ? 0 : 0.5))), text: places[place])
    }
    return shapes
  }

  private func addBars(at place: Int, top: Double, step: Double, _ shapes: inout Shapes) {
    var base = Measure.top + innerHeight
    for (index, series) in series.enumerated() {
      guard let value = series.values[safe: place], value > 0, value.isFinite else { continue }
      let height = innerHeight * value / top
      base -= height
      shapes.bars.append(
        Shapes.Bar(
          series: index, x: Self.text(Measure.left + step * (Double(place) + 0.05)), y: Self.text(base),
          width: Self.text(max(0.5, step * 0.9)), height: Self.text(height),
          hover: hover(series, place, value)))
    }
  }

  private func addLines(top: Double, step: Double, _ shapes: inout Shapes) {
    for (index, series) in series.enumerated() {
      var (path, isOpen) = ("", false)
      for place in 0..<count {
        guard let value = series.values[safe: place], value.isFinite else {
          isOpen = false
          continue
        }
        let x = Self.text(Measure.left + step * (Double(place) + 0.5))
        let y = Self.text(Measure.top + innerHeight * (1 - value / top))
        path += "\(isOpen ? "L" : "M")\(x) \(y)"
        isOpen = true
        shapes.dots.append(Shapes.Dot(series: index, x: x, y: y, hover: hover(series, place, value)))
      }
      if !path.isEmpty { shapes.lines.append(Shapes.Line(series: index, path: path)) }
    }
  }

  private func hover(_ series: Series, _ place: Int, _ value: Double) -> String {
    "\(places[place]) · \(series.name): \(Self.text(value))\(unit)"
  }

  /// At most one digit behind the point.
  static func text(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "0" }
    let tenths = (value * 10).rounded()
    return tenths.truncatingRemainder(dividingBy: 10) == 0
      ? String(Int(tenths / 10)) : String(tenths / 10)
  }
}

extension [Double?] {
  /// `nil` where there is none.
  fileprivate subscript(safe index: Int) -> Double? { indices.contains(index) ? self[index] : nil }
}
