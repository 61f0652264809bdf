internal import Bytes
internal import Foundation

/// Lines over time, as SVG.
struct LinePlot {
  struct Line {
    let name: String
    /// A class of the page's style sheet.
    let style: String
    /// `nil` leaves a gap.
    let values: [Double?]
  }

  let title: String
  let unit: String
  /// Seconds between two values.
  let step: Int
  let lines: [Line]

  private static let (width, height, left, bottom, top) = (860.0, 240.0, 64.0, 28.0, 10.0)

  var svg: String {
    let count = lines.map(\.values.count).max() ?? 0
    let largest = lines.flatMap(\.values).compactMap(\.self).max() ?? 0
    let ceiling = Self.ceiling(above: largest)
    func x(_ index: Int) -> Double {
      Self.left + (Self.width - Self.left) * (count > 1 ? Double(index) / Double(count - 1) : 0)
    }
    func y(_ value: Double) -> Double {
      Self.height - Self.bottom - (Self.height - Self.bottom - Self.top) * value / ceiling
    }
    var svg = """
      <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" aria-label="\(MarkupText.html(title))">

      """
    for part in 0...4 {
      let value = ceiling * Double(part) / 4
      let place = Self.number(y(value))
      svg += """
        <line class="grid" x1="\(Int(Self.left))" x2="\(Int(Self.width))" y1="\(place)" y2="\(place)"/>
        <text class="label" x="\(Int(Self.left) - 6)" y="\(place)" dy="4" text-anchor="end">\(Self.label(value))</text>

        """
    }
    let last = max(0, count - 1)
    for index in Set([0, last / 4, last / 2, last * 3 / 4, last]).sorted() {
      let anchor = index == 0 ? "start" : index == last ? "end" : "middle"
      svg += """
        <text class="label" x="\(Self.number(x(index)))" y="\(Int(Self.height) - 8)" text-anchor="\(anchor)">\(index * step) s</text>

        """
    }
    for line in lines {
      for part in line.values.enumerated().split(whereSeparator: { $0.element == nil }) {
        let points = part.compactMap { index, value in
          value.map { "\(Self.number(x(index))),\(Self.number(y($0)))" }
        }
        svg +=
          points.count == 1
          ? "<circle class=\"\(line.style)\" r=\"2\" cx=\"\(points[0].replacing(",", with: "\" cy=\""))\"/>\n"
          : "<polyline class=\"\(line.style)\" points=\"\(points.joined(separator: " "))\"/>\n"
      }
    }
    let legend = lines.map { "<span class=\"\($0.style)\">\(MarkupText.html($0.name))</span>" }
    return """
      <figure><figcaption>\(MarkupText.html(title)) (\(MarkupText.html(unit))): \(legend.joined(separator: " "))</figcaption>
      \(svg)</svg></figure>
      """
  }

  /// The next round number.
  static func ceiling(above value: Double) -> Double {
    guard value > 0, value.isFinite else { return 1 }
    let power = pow(10, log10(value).rounded(.down))
    return ([1, 2, 4, 5, 8, 10].first { $0 * power >= value } ?? 10) * power
  }

  private static func number(_ value: Double) -> String { LoadReport.decimal(value, 1) }

  private static func label(_ value: Double) -> String {
    value == value.rounded() ? LoadReport.decimal(value, 0) : LoadReport.decimal(value, value < 10 ? 2 : 1)
  }
}
