internal import Bytes
internal import Foundation
internal import Plots

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

  private static let frame = PlotFrame(
    width: 860, height: 240, left: 64, right: 0, top: 10, bottom: 28, parts: 4, labels: 5, stand: .edges,
    most: .max)

  var svg: String {
    let (frame, count) = (Self.frame, lines.map(\.values.count).max() ?? 0)
    let shapes = PlotDrawing(
      form: .lines, series: lines.map { PlotDrawing.Series(name: $0.name, values: $0.values) },
      places: (0..<count).map { "\($0 * step) s" }, frame: frame
    ).shapes
    var svg = """
      <svg viewBox="0 0 \(Int(frame.width)) \(Int(frame.height))" role="img" aria-label="\(MarkupText.html(title))">

      """
    for line in shapes.grid {
      svg += """
        <line class="grid" x1="\(Int(frame.left))" x2="\(Int(frame.width))" y1="\(line.y)" y2="\(line.y)"/>
        <text class="label" x="\(Int(frame.left) - 6)" y="\(line.textY)" text-anchor="end">\(line.text)</text>

        """
    }
    for label in shapes.labels {
      svg += """
        <text class="label" x="\(label.x)" y="\(Int(frame.height) - 8)" text-anchor="\(label.anchor)">\(label.text)</text>

        """
    }
    for line in shapes.lines {
      let style = lines[line.series].style
      for piece in line.pieces {
        svg +=
          piece.count == 1
          ? "<circle class=\"\(style)\" r=\"2\" cx=\"\(piece[0].x)\" cy=\"\(piece[0].y)\"/>\n"
          : "<polyline class=\"\(style)\" points=\"\(piece.map { "\($0.x),\($0.y)" }.joined(separator: " "))\"/>\n"
      }
    }
    let legend = lines.map { "<span class=\"\($0.style)\">\(MarkupText.html($0.name))</span>" }
    return """
      <figure><figcaption>\(MarkupText.html(title)) (\(MarkupText.html(unit))): \(legend.joined(separator: " "))</figcaption>
      \(svg)</svg></figure>
      """
  }
}
