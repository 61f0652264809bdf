/// A plot of numbers over time: stacked bars, or lines. The caller turns its ``Shapes`` into SVG, and escapes the texts.
///
/// Every value can be read by pointing at it.
package struct PlotDrawing: Sendable {
  package enum Form: Sendable {
    case bars
    case lines
  }

  package struct Series: Sendable {
    package var name: String

    /// One for each place of the axis; `nil` where there is none.
    package var values: [Double?]

    package init(name: String, values: [Double?]) { (self.name, self.values) = (name, values) }
  }

  package var form: Form
  package var series: [Series]

  /// The label under the axis for each place; most are left out when there are many.
  package var places: [String]

  /// The text after values, such as ` ms`.
  package var unit: String
  package var frame: PlotFrame

  package init(form: Form, series: [Series], places: [String], unit: String = "", frame: PlotFrame) {
    (self.form, self.series, self.places, self.unit, self.frame) = (form, series, places, unit, frame)
  }

  private var count: Int { min(places.count, frame.most) }

  /// The end of the axis: a round number at or above all values.
  private var ceiling: Double {
    let values: [Double] =
      switch form {
      case .bars: (0..<count).map { place in series.reduce(0) { $0 + ($1.values[safe: place] ?? 0) } }
      case .lines: series.flatMap { $0.values.prefix(count).compactMap(\.self) }
      }
    return PlotNumber.ceiling(above: values.filter(\.isFinite).max() ?? 0)
  }

  /// What is drawn, in the frame's scale.
  package struct Shapes: Sendable {
    package struct Grid: Sendable {
      package var y: String
      package var text: String
      package var textY: String
    }

    package struct Bar: Sendable {
      package var series: Int
      package var x: String
      package var y: String
      package var width: String
      package var height: String
      package var hover: String
    }

    package struct Point: Sendable {
      package var x: String
      package var y: String
    }

    /// A series without its gaps.
    package struct Line: Sendable {
      package var series: Int

      /// The runs of connected points; a run of one is only a point.
      package var pieces: [[Point]]

      /// All pieces as one path.
      package var path: String {
        pieces.map { piece in
          piece.enumerated().map { "\($0 == 0 ? "M" : "L")\($1.x) \($1.y)" }.joined()
        }.joined()
      }
    }

    package struct Dot: Sendable {
      package var series: Int
      package var x: String
      package var y: String
      package var hover: String
    }

    package struct Label: Sendable {
      /// As SVG's `text-anchor`.
      package var anchor: String
      package var x: String
      package var text: String
    }

    package var grid: [Grid] = []
    package var bars: [Bar] = []
    package var lines: [Line] = []
    package var dots: [Dot] = []
    package var labels: [Label] = []
  }

  package var shapes: Shapes {
    let ceiling = ceiling
    var shapes = Shapes()
    shapes.grid = (0...frame.parts).map { part in
      let value = ceiling * Double(part) / Double(frame.parts)
      let y = frame.y(value, ceiling: ceiling)
      return Shapes.Grid(
        y: PlotNumber.text(y), text: PlotNumber.label(value) + unit, textY: PlotNumber.text(y + 4))
    }
    switch form {
    case .bars: for place in 0..<count { addBars(at: place, ceiling: ceiling, &shapes) }
    case .lines: addLines(ceiling: ceiling, &shapes)
    }
    shapes.labels = labelled.map { place in
      let isFirst = place == 0
      let isLast = frame.stand == .edges && place == count - 1
      return Shapes.Label(
        anchor: isFirst ? "start" : isLast ? "end" : "middle",
        x: PlotNumber.text(isFirst ? frame.left : frame.x(place, of: count)), text: places[place])
    }
    return shapes
  }

  /// The places that are named.
  private var labelled: [Int] {
    guard count > 0 else { return [] }
    switch frame.stand {
    case .middle:
      return Array(stride(from: 0, to: count, by: max(1, (count + frame.labels - 1) / frame.labels)))
    case .edges: return Set((0..<frame.labels).map { (count - 1) * $0 / (frame.labels - 1) }).sorted()
    }
  }

  private func addBars(at place: Int, ceiling: Double, _ shapes: inout Shapes) {
    let step = frame.step(count)
    var base = frame.top + frame.innerHeight
    for (index, series) in series.enumerated() {
      guard let value = series.values[safe: place], value > 0, value.isFinite else { continue }
      let height = frame.innerHeight * value / ceiling
      base -= height
      shapes.bars.append(
        Shapes.Bar(
          series: index, x: PlotNumber.text(frame.left + step * (Double(place) + 0.05)),
          y: PlotNumber.text(base), width: PlotNumber.text(max(0.5, step * 0.9)),
          height: PlotNumber.text(height), hover: hover(series, place, value)))
    }
  }

  private func addLines(ceiling: Double, _ shapes: inout Shapes) {
    for (index, series) in series.enumerated() {
      var pieces: [[Shapes.Point]] = []
      var isOpen = false
      for place in 0..<count {
        guard let value = series.values[safe: place], value.isFinite else {
          isOpen = false
          continue
        }
        let point = Shapes.Point(
          x: PlotNumber.text(frame.x(place, of: count)),
          y: PlotNumber.text(frame.y(value, ceiling: ceiling)))
        if isOpen { pieces[pieces.count - 1].append(point) } else { pieces.append([point]) }
        isOpen = true
        shapes.dots.append(
          Shapes.Dot(series: index, x: point.x, y: point.y, hover: hover(series, place, value)))
      }
      if !pieces.isEmpty { shapes.lines.append(Shapes.Line(series: index, pieces: pieces)) }
    }
  }

  private func hover(_ series: Series, _ place: Int, _ value: Double) -> String {
    "\(places[place]) · \(series.name): \(PlotNumber.text(value))\(unit)"
  }
}

extension [Double?] {
  /// `nil` where there is none.
  fileprivate subscript(safe index: Int) -> Double? { indices.contains(index) ? self[index] : nil }
}
