import Foundation
import JourneyGraphs
import StrictJSON
import Testing

private let success: JSONValue = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
private let failure: JSONValue = "e301438c-0bd0-429c-ab0c-66126501069a"

/// A journey of nodes: id, display name, type, connections, properties.
private func journey(
  _ nodes: [(String, String, String, JSONObject, JSONObject)], entry: String? = nil, tree: JSONObject = [:]
) -> JSONObject {
  var details = JSONObject()
  var places = JSONObject()
  for (id, name, type, connections, properties) in nodes {
    var object: JSONObject = [
      "_id": .string(id), "_rev": .string("\(Int.random(in: 0...9))"), "_type": ["_id": .string(type)],
    ]
    object.merge(properties)
    details[id] = .object(object)
    places[id] = [
      "displayName": .string(name), "nodeType": .string(type), "connections": .object(connections),
      "x": .integer(Int64.random(in: 0...9)),
    ]
  }
  var object: JSONObject = [
    "_id": "J", "entryNodeId": .string(entry ?? nodes.first?.0 ?? ""), "nodes": .object(places),
  ]
  object.merge(tree)
  return ["tree": .object(object), "nodes": .object(details)]
}

@Suite("Comparing journeys") struct JourneyDifferenceTests {
  private func changes(_ one: JSONObject, _ other: JSONObject) throws -> [String] {
    let before = try #require(JourneyGraph(one, name: "J"))
    let after = try #require(JourneyGraph(other, name: "J"))
    return JourneyDifference(before, after).changes.map {
      "\($0.kind.rawValue) \($0.node ?? "-") \($0.property ?? "-") \($0.before?.text ?? "") \($0.after?.text ?? "")"
    }
  }

  private static let base: [(String, String, String, JSONObject, JSONObject)] = [
    ("a", "Name", "Ask", ["outcome": "b"], ["limit": 3]),
    ("b", "Check", "Decide", ["true": success, "false": failure], [:]),
  ]

  @Test func `positions and revisions are no difference, and neither is the order of members`() throws {
    #expect(try changes(journey(Self.base), journey(Self.base.reversed(), entry: "a")).isEmpty)
  }

  @Test func `new ids, as imports give them, are no difference`() throws {
    let renamed: [(String, String, String, JSONObject, JSONObject)] = [
      ("a2", "Name", "Ask", ["outcome": "b2"], ["limit": 3]),
      ("b2", "Check", "Decide", ["true": success, "false": failure], [:]),
    ]
    #expect(try changes(journey(Self.base), journey(renamed)).isEmpty)
  }

  @Test func `properties, connections, settings and nodes are each named`() throws {
    let other: [(String, String, String, JSONObject, JSONObject)] = [
      ("a", "Name", "Ask", ["outcome": "c"], ["limit": 5]),
      ("b", "Check", "Decide", ["true": success], [:]),
      ("c", "More", "Ask", ["outcome": "b"], [:]),
    ]
    let found = try changes(journey(Self.base), journey(other, tree: ["innerTreeOnly": true]))
    #expect(
      found == [
        "added - innerTreeOnly  true", "changed Name (Ask) limit 3 5",
        "changed Name (Ask) connections.outcome \"b\" \"c\"",
        "removed Check (Decide) connections.false \"failure\" ", "added More (Ask) -  ",
      ])
  }

  @Test func `the nodes inside pages are compared, too`() throws {
    func page(_ limit: JSONValue) -> JSONObject {
      var file = journey([
        (
          "p", "Page", "PageNode", ["outcome": success],
          ["nodes": [["_id": "i", "nodeType": "Ask", "displayName": "In"]]]
        )
      ])
      file["innerNodes"] = ["i": ["_id": "i", "limit": limit]]
      return file
    }
    #expect(try changes(page(1), page(2)) == ["changed In (Ask) limit 1 2"])
  }
}

@Suite("Drawing journeys") struct JourneyDrawingTests {
  private func drawing(_ file: JSONObject) throws -> String {
    let graph = try #require(JourneyGraph(file, name: "J"))
    return try #require(JourneyDrawing(graph)).svg
  }

  @Test
  func `every node and outcome is in the picture, which is well-formed XML and refers to nothing outside`()
    throws
  {
    let svg = try drawing(
      journey([
        ("a", "Name", "Ask", ["outcome": "b"], [:]),
        ("b", "Check", "Decide", ["true": success, "false": "a", "gone": "nowhere"], [:]),
      ]))
    for text in [">Name<", ">Check<", ">true<", ">false<", ">Success<", ">Failure<"] {
      #expect(svg.contains(text), "\(text)")
    }
    #expect(!svg.contains("href") && !svg.contains("<script") && !svg.contains("@import"))
    #expect(XMLChecking().isWellFormed(svg))
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\"/><a href='x'>", "&amp;&", "\u{0}\u{1B}[31m", "]]>", "\u{FFFF}",
  ])
  func `names from files cannot become markup`(name: String) throws {
    let svg = try drawing(journey([("a", name, "Ask", [name: success], [:])]))
    #expect(!svg.contains("<script") && !svg.contains("<a "))
    #expect(XMLChecking().isWellFormed(svg))
  }

  @Test func `the path of a run and the counts of connections are in the picture`() throws {
    let file = journey([
      ("a", "Name", "Ask", ["outcome": "b"], [:]),
      ("b", "Check", "Decide", ["true": success, "false": failure], [:]),
    ])
    let graph = try #require(JourneyGraph(file, name: "J"))
    let no = JourneyDrawing.Marks.Way(node: "b", outcome: "false")
    let drawing = try #require(
      JourneyDrawing(
        graph,
        marks: JourneyDrawing.Marks(
          taken: [.init(node: "a", outcome: "outcome"), no], visited: ["a", "b"], last: "b",
          counts: [no: 17])))
    let geometry = drawing.geometry
    #expect(geometry.ways.filter(\.isTaken).map(\.text) == ["outcome 0", "false 17"])
    #expect(geometry.boxes.map(\.kind) == ["node start visited", "node visited last", "success", "failure"])
    #expect(drawing.svg.matches(of: /class="way taken"/).count == 2)
    #expect(XMLChecking().isWellFormed(drawing.svg))
  }

  @Test func `the same journey gives the same picture`() throws {
    let file = journey(
      (0..<30).map {
        ("n\($0)", "N\($0)", "Ask", ["x": .string("n\(($0 * 7 + 1) % 30)"), "y": success], [:])
      })
    #expect(try drawing(file) == drawing(file))
  }

  @Test
  func
    `a connection that passes nodes does not run behind them, and shares its lane with others to the same end`()
    throws
  {
    let graph = try #require(
      JourneyGraph(
        journey([
          ("a", "A", "Ask", ["yes": "b", "no": failure], [:]),
          ("b", "B", "Ask", ["yes": "c", "no": failure], [:]),
          ("c", "C", "Ask", ["yes": success], [:]),
        ]), name: "J"))
    let geometry = try #require(JourneyDrawing(graph)).geometry
    let (b, c) = (geometry.boxes[1], geometry.boxes[2])
    let lanes = geometry.ways.filter { $0.whole == "no" }.map { way in
      way.path.matches(of: /(\d+) (\d+)H(\d+)/).compactMap { match in
        Int(match.1).flatMap { x in Int(match.2).map { (x: x, y: $0) } }
      }
    }
    try #require(lanes.map(\.count) == [2, 1])
    for (lane, box) in [(lanes[0][0], b), (lanes[0][1], c)] {
      #expect(lane.x == box.x && !(box.y...box.y + box.height).contains(lane.y))
    }
    #expect(lanes[0][1] == lanes[1][0])
    #expect(geometry.boxes.count == 5 && geometry.ways.count == 5)
  }

  @Test func `circles, lone nodes, an empty journey and an entry that is none are drawn`() throws {
    for file in [
      journey([("a", "A", "Ask", ["x": "b"], [:]), ("b", "B", "Ask", ["x": "a", "y": "b"], [:])]),
      journey([]),
      journey([("a", "A", "Ask", [:], [:])], entry: "gone"),
    ] { #expect(XMLChecking().isWellFormed(try drawing(file))) }
  }

  @Test func `a long chain is drawn, and too large a journey is not`() throws {
    func chain(_ count: Int) -> JSONObject {
      journey((0..<count).map { ("n\($0)", "N", "Ask", ["x": .string("n\($0 + 1)")], [:]) })
    }
    #expect(XMLChecking().isWellFormed(try drawing(chain(JourneyDrawing.maximumNodes))))
    // Of each node a connection leads over all that follow: the picture does not grow with the square of them.
    let failing = journey(
      (0..<JourneyDrawing.maximumNodes).map {
        ("n\($0)", "N", "Ask", ["x": .string("n\($0 + 1)"), "no": failure], [:])
      })
    #expect(try drawing(failing).utf8.count < 2_000_000)
    let large = try #require(JourneyGraph(chain(JourneyDrawing.maximumNodes + 1), name: "J"))
    #expect(JourneyDrawing(large) == nil)
  }
}

/// Looks whether tags close in order and text has no bare `<` or `&`; enough for what the drawing writes.
private struct XMLChecking {
  func isWellFormed(_ text: String) -> Bool {
    var open: [Substring] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      guard isText(rest[..<start]), let end = rest[start...].firstIndex(of: ">") else { return false }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return false }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { !$0.isWhitespace })
      }
      guard !tag.contains("<") else { return false }
    }
    return open.isEmpty && isText(rest)
  }

  private func isText(_ text: Substring) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }
      && text.split(separator: "&", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
        ["amp;", "lt;", "gt;", "quot;", "#39;", "#13;"].contains { part.hasPrefix($0) }
      }
  }
}
