internal import Bytes

/// A journey as a picture in SVG 1.1, which refers to nothing outside and holds no script.
package struct JourneyDrawing {
  private let graph: JourneyGraph

  /// Everything that is drawn: the graph's nodes, then the two ends.
  private let boxes: [Box]
  private let edges: [(from: Int, to: Int, outcome: String)]
  private let layout: LayeredLayout
  private let marks: Marks

  /// What a run did, and what all runs did, to be shown in the picture.
  package struct Marks: Sendable {
    /// A connection of the graph.
    package struct Way: Sendable, Hashable {
      package var node: String
      package var outcome: String

      package init(node: String, outcome: String) { (self.node, self.outcome) = (node, outcome) }
    }

    /// The connections that a run took, and the nodes that it came to.
    package var taken: Set<Way> = []
    package var visited: Set<String> = []

    /// The node that the run ended at or waits at.
    package var last: String?

    /// How often each connection was taken; those that never were are missing. `nil` shows no numbers.
    package var counts: [Way: Int]?

    package init() {}
  }

  /// The most nodes that are drawn, because a larger picture is unreadable.
  package static let maximumNodes = 2_000

  private struct Box {
    var lines: [String]
    var kind: String
  }

  /// In pixels.
  private enum Measure {
    static let width = 190
    static let line = 16
    static let outcome = 13
    static let padding = 12
    static let columnGap = 90
    static let rowGap = 34
    static let margin = 24

    /// In characters.
    static let longestText = 26
  }

  /// - Returns: `nil` for a journey with more than ``maximumNodes`` nodes.
  package init?(_ graph: JourneyGraph, marks: Marks = Marks()) {
    guard graph.nodes.count <= Self.maximumNodes else { return nil }
    self.graph = graph
    self.marks = marks
    var boxes = graph.nodes.map { node in
      Box(
        lines: [node.name] + (node.name == node.type ? [] : [node.type]) + node.inner.map { "· \($0.name)" },
        kind: "node")
    }
    let places = Dictionary(
      graph.nodes.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let (success, failure) = (boxes.count, boxes.count + 1)
    boxes += [Box(lines: ["Success"], kind: "success"), Box(lines: ["Failure"], kind: "failure")]
    func place(_ end: JourneyGraph.End) -> Int? {
      switch end {
      case .success: success
      case .failure: failure
      case .node(let id): places[id]
      }
    }
    var edges: [(from: Int, to: Int, outcome: String)] = []
    for (index, node) in graph.nodes.enumerated() {
      for connection in node.connections {
        if let target = place(connection.target) { edges.append((index, target, connection.outcome)) }
      }
    }
    let start = place(graph.entry)
    if let start, boxes[start].kind == "node" { boxes[start].kind = "node start" }
    for (index, node) in graph.nodes.enumerated() {
      if marks.visited.contains(node.id) { boxes[index].kind += " visited" }
      if marks.last == node.id { boxes[index].kind += " last" }
    }
    self.boxes = boxes
    self.edges = edges
    layout = LayeredLayout(
      count: boxes.count, edges: edges.map { ($0.from, $0.to) }, start: start, ends: [success, failure])
  }

  /// The positions of everything in pixels, for pages that draw the journey themselves.
  package struct Geometry: Sendable {
    /// A connection: the path's data, and its outcome with the count beside its beginning.
    package struct Way: Sendable {
      package var path: String
      package var isTaken: Bool
      package var text: String
      package var whole: String
      package var x: Int
      package var y: Int
    }

    package struct Line: Sendable {
      package var text: String
      package var x: Int
      package var y: Int
      package var isName: Bool
    }

    /// A node, or an end.
    package struct Box: Sendable {
      /// Classes: `node`, `success` or `failure`, and what is marked.
      package var kind: String
      package var title: String
      package var x: Int
      package var y: Int
      package var width: Int
      package var height: Int
      package var lines: [Line]
    }

    package var name: String
    package var width: Int
    package var height: Int
    package var ways: [Way]
    package var boxes: [Box]
  }

  /// The picture.
  package var svg: String {
    let geometry = geometry
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(geometry.width)" height="\(geometry.height)" \
      viewBox="0 0 \(geometry.width) \(geometry.height)" role="img" font-family="sans-serif" font-size="12">
      <title>\(MarkupText.xml(geometry.name))</title>
      <style>
      .back { fill: #fff } .box rect { fill: #f4f6fa; stroke: #44506a } .start rect { stroke-width: 3 }
      .success rect { fill: #e3f4e6; stroke: #2c7a3d } .failure rect { fill: #fbe7e5; stroke: #a8342a }
      .way { fill: none; stroke: #7a8499 } .outcome { fill: #44506a; font-size: 10px } .name { font-weight: bold }
      .taken { stroke: #1d5fd1; stroke-width: 3 } .visited rect { stroke: #1d5fd1; stroke-width: 2 }
      .last rect { stroke: #a8342a; stroke-width: 4 }
      </style>
      <defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">\
      <path d="M0 0L8 4L0 8z" fill="#7a8499"/></marker></defs>
      <rect class="back" width="100%" height="100%"/>
      """
    ]
    for way in geometry.ways {
      parts.append(
        """
        <path class="way\(way.isTaken ? " taken" : "")" d="\(way.path)" marker-end="url(#tip)"/>\
        <text class="outcome" x="\(way.x)" y="\(way.y)">\(MarkupText.xml(way.text))</text>
        """)
    }
    for box in geometry.boxes {
      let texts = box.lines.map { line in
        "<text\(line.isName ? " class=\"name\"" : "") x=\"\(line.x)\" y=\"\(line.y)\">\(MarkupText.xml(line.text))</text>"
      }
      parts.append(
        """
        <g class="box \(box.kind)"><title>\(MarkupText.xml(box.title))</title>\
        <rect x="\(box.x)" y="\(box.y)" width="\(box.width)" height="\(box.height)" rx="6"/>\(texts.joined())</g>
        """)
    }
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  package var geometry: Geometry {
    let frames = frames
    let leaving = Dictionary(grouping: edges, by: \.from).mapValues(\.count)
    var drawn: [Int: Int] = [:]
    let ways = edges.map { edge in
      drawn[edge.from, default: 0] += 1
      return way(edge, nth: drawn[edge.from] ?? 1, of: leaving[edge.from] ?? 1, frames)
    }
    return Geometry(
      name: graph.name, width: (frames.map { $0.x + Measure.width }.max() ?? 0) + Measure.margin,
      height: (frames.map { $0.y + $0.height }.max() ?? 0) + Measure.margin, ways: ways,
      boxes: zip(boxes, frames).map { Self.drawn($0, $1) })
  }

  private typealias Frame = (x: Int, y: Int, height: Int)

  private var frames: [Frame] {
    let count = max(boxes.count, (layout.columns.joined().max() ?? -1) + 1)
    var frames = [Frame](repeating: (0, 0, 0), count: count)
    // Room for the names of all outcomes beside the box.
    var leaving = [Int](repeating: 0, count: boxes.count)
    for edge in edges { leaving[edge.from] += 1 }
    func height(_ box: Int) -> Int {
      // The box is a lane.
      guard box < boxes.count else { return Measure.outcome }
      return max(
        boxes[box].lines.count * Measure.line + 2 * Measure.padding, (leaving[box] + 1) * Measure.outcome)
    }
    let heights = layout.columns.map { column in
      column.reduce(0) { $0 + height($1) + Measure.rowGap } - Measure.rowGap
    }
    let tallest = heights.max() ?? 0
    for (index, column) in layout.columns.enumerated() {
      var y = Measure.margin + (tallest - heights[index]) / 2
      for box in column {
        frames[box] = (Measure.margin + index * (Measure.width + Measure.columnGap), y, height(box))
        y += height(box) + Measure.rowGap
      }
    }
    return frames
  }

  private func way(
    _ edge: (from: Int, to: Int, outcome: String), nth: Int, of all: Int, _ frames: [Frame]
  ) -> Geometry.Way {
    let (from, to) = (frames[edge.from], frames[edge.to])
    let start = (x: from.x + Measure.width, y: from.y + from.height * nth / (all + 1))
    let end = (x: to.x, y: to.y + to.height / 2)
    // Connections that lead back run below.
    let isBack = end.x <= start.x
    let bend = Measure.columnGap / 2
    let path: String
    if isBack {
      path =
        "M\(start.x) \(start.y)C\(start.x + 2 * bend) \(start.y + 3 * bend) \(end.x - 2 * bend) \(end.y + 3 * bend) \(end.x) \(end.y)"
    } else {
      var (at, pieces) = (start, "M\(start.x) \(start.y)")
      for lane in layout.lanes[LayeredLayout.Edge(from: edge.from, to: edge.to)] ?? [] {
        let (x, y) = (frames[lane].x, frames[lane].y + frames[lane].height / 2)
        pieces += "C\(at.x + bend) \(at.y) \(x - bend) \(y) \(x) \(y)H\(x + Measure.width)"
        at = (x + Measure.width, y)
      }
      path = pieces + "C\(at.x + bend) \(at.y) \(end.x - bend) \(end.y) \(end.x) \(end.y)"
    }
    let way = Marks.Way(
      node: edge.from < graph.nodes.count ? graph.nodes[edge.from].id : "", outcome: edge.outcome)
    // A connection that nobody took has no number, because zeros everywhere would hide the others.
    let count = marks.counts?[way].map { $0 > 0 ? " \($0)" : "" } ?? ""
    return Geometry.Way(
      path: path, isTaken: marks.taken.contains(way),
      text: Self.shortened(edge.outcome, to: 18 - count.count) + count, whole: edge.outcome + count,
      x: start.x + 4, y: start.y - 3)
  }

  private static func drawn(_ box: Box, _ frame: Frame) -> Geometry.Box {
    Geometry.Box(
      kind: box.kind, title: box.lines.joined(separator: ", "), x: frame.x, y: frame.y,
      width: Measure.width, height: frame.height,
      lines: box.lines.enumerated().map { index, line in
        Geometry.Line(
          text: shortened(line, to: Measure.longestText), x: frame.x + 10,
          y: frame.y + Measure.padding + Measure.line * (index + 1) - 4, isName: index == 0)
      })
  }

  private static func shortened(_ text: String, to count: Int) -> String {
    text.count <= count ? text : text.prefix(max(1, count - 1)) + "…"
  }
}
