import Plots
import Testing

@Suite struct PlotDrawingTests {
  private static let frame = PlotFrame(
    width: 720, height: 180, left: 48, right: 8, top: 10, bottom: 24, parts: 2, labels: 6, stand: .middle,
    most: 400)

  @Test func `every value can be read, and what is no number is not drawn`() {
    let plot = PlotDrawing(
      form: .bars,
      series: [.init(name: "a", values: [1, nil, 3]), .init(name: "b", values: [2, 2, .nan])],
      places: ["10:00", "11:00", "12:00"], unit: " ms", frame: Self.frame)
    #expect(
      plot.shapes.bars.map(\.hover) == [
        "10:00 · a: 1 ms", "10:00 · b: 2 ms", "11:00 · b: 2 ms", "12:00 · a: 3 ms",
      ])
    #expect(plot.shapes.grid.map(\.text) == ["0 ms", "2.5 ms", "5 ms"])
    // A gap ends the line.
    let lines = PlotDrawing(
      form: .lines, series: [.init(name: "a", values: [1, nil, 3, 4])], places: ["1", "2", "3", "4"],
      frame: Self.frame)
    #expect(lines.shapes.lines.first?.path.filter { $0 == "M" }.count == 2)
    #expect(lines.shapes.dots.count == 3)
  }

  @Test(arguments: [
    (0.0, 1.0), (1, 1), (1.5, 2), (3, 5), (9, 10), (10, 10), (11, 20), (1_234_567, 2_000_000),
    (0.3, 0.5), (0.05, 0.05), (-1, 1), (.nan, 1), (.infinity, 1),
  ])
  func `the axis ends at a round number`(value: Double, top: Double) {
    #expect(PlotNumber.ceiling(above: value) == top)
  }

  @Test func `an empty plot, one without places and one with too many are drawn`() {
    for form in [PlotDrawing.Form.bars, .lines] {
      for count in [0, 1, 5000] {
        let shapes = PlotDrawing(
          form: form, series: [.init(name: "s", values: Array(repeating: 1, count: count))],
          places: Array(repeating: "x", count: count), frame: Self.frame
        ).shapes
        #expect(shapes.bars.count + shapes.dots.count == min(count, Self.frame.most))
        #expect(shapes.labels.count <= 7)
      }
    }
  }

  @Test func `a line from edge to edge begins and ends at the edges, and names both ends`() {
    var frame = Self.frame
    (frame.stand, frame.labels, frame.parts) = (.edges, 5, 4)
    let shapes = PlotDrawing(
      form: .lines, series: [.init(name: "a", values: [0, 1, nil, 1, nil, 1, 1, 1, 1])],
      places: (0..<9).map { "\($0) s" }, frame: frame
    ).shapes
    #expect(shapes.lines[0].pieces.map(\.count) == [2, 1, 4])
    #expect(shapes.lines[0].pieces.first?.first?.x == "48" && shapes.lines[0].pieces.last?.last?.x == "712")
    #expect(shapes.labels.map(\.text) == ["0 s", "2 s", "4 s", "6 s", "8 s"])
    #expect(shapes.labels.map(\.anchor) == ["start", "middle", "middle", "middle", "end"])
    #expect(shapes.grid.map(\.text) == ["0", "0.25", "0.5", "0.75", "1"])
    #expect(shapes.grid.first?.y == "156" && shapes.grid.last?.y == "10")
  }
}
