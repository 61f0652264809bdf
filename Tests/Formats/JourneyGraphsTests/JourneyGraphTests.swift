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
    return JourneyDifference(JourneyContents(before, parts: []), JourneyContents(after, parts: [])).changes
      .map {
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

  @Test func `the names that outcomes are matched by, and the order of nodes on a page, are compared`() throws
  {
    func named(_ id: String) -> JSONObject {
      journey([
        ("a", "A", "Ask", ["Yes": success], ["_outcomes": [["id": .string(id), "displayName": "Yes"]]])
      ])
    }
    #expect(try changes(named("true"), named("false")).count == 1)
    func page(_ ids: [String]) -> JSONObject {
      journey([
        (
          "p", "Page", "PageNode", ["outcome": success],
          [
            "nodes": .array(
              ids.map { ["_id": .string($0), "nodeType": "Ask", "displayName": .string($0.uppercased())] })
          ]
        )
      ])
    }
    #expect(try changes(page(["i", "j"]), page(["j", "i"])).count == 1)
  }
}

@Suite("What belongs to a journey") struct JourneyContentsTests {
  private typealias Part = JourneyContents.Part

  private func contents(
    _ parts: [Part], inner: [String: JourneyContents] = [:], limit: JSONValue = 1
  ) throws -> JourneyContents {
    let graph = try #require(
      JourneyGraph(journey([("a", "A", "Ask", ["outcome": success], ["limit": limit])]), name: "J"))
    return JourneyContents(graph, parts: parts, inner: inner)
  }

  private func script(_ source: String, language: String = "JAVASCRIPT") -> Part {
    Part(
      kind: Part.script, id: "s", name: "Risk", properties: ["language": .string(language)], source: source)
  }

  @Test func `a changed script is a difference, line by line, and changes the hash`() throws {
    let one = try contents([script("var risk = 1;\naction.goTo(risk);\n// end\n")])
    let other = try contents([script("var risk = 1;\naction.goTo(\"low\");\n// end\n")])
    #expect(one.hash != other.hash && one.hash.count == 64)
    let difference = JourneyDifference(one, other)
    let change = try #require(difference.changes.first)
    #expect(change.part == "script" && change.node == "Risk" && difference.counts == ["script": 1])
    #expect(
      change.lines?.lines.map(\.shown) == [
        "     1  var risk = 1;", "-    2  action.goTo(risk);", "+    2  action.goTo(\"low\");",
        "     3  // end",
      ])
    #expect(JourneyDifference(one, one).changes.isEmpty)
  }

  @Test func `templates, properties of scripts, and what runs inside are compared, and code comes first`()
    throws
  {
    func template(_ text: JSONValue) -> Part {
      Part(kind: Part.mailTemplate, id: "reset", value: ["message": ["en": text]])
    }
    let inner = try contents([script("1")])
    let before = try contents([script("x"), template("one\ntwo")], inner: ["Inside": inner])
    let after = try contents(
      [script("x", language: "GROOVY"), template("one\nthree")], inner: ["Inside": contents([script("2")])],
      limit: 2)
    let changes = JourneyDifference(before, after).changes
    #expect(changes.map { $0.part ?? "node" } == ["script", "mail template", "inner journey", "node"])
    #expect(changes[0].property == "language" && changes[2].before == .string(inner.hash))
    #expect(changes[1].lines?.lines.map(\.text) == ["message.en: |", "  one", "  two", "  three"])
  }

  @Test(arguments: ["\r", "\u{2028}", "\r\n"])
  func `what a script takes for a line end begins a line, and hidden characters are seen`(end: String) throws
  {
    let one = try contents([script("// a")])
    let other = try contents([script("// a\(end)evil()\u{202E}")])
    let lines = JourneyDifference(one, other).changes.first?.lines?.lines.filter { $0.kind == .added } ?? []
    #expect(lines.map(\.shown) == ["+    2  evil()\\u202e"])
  }

  @Test func `long texts that have nothing in common are compared in a moment`() throws {
    let long = (0..<20_000).map { "a\($0)" }.joined(separator: "\n")
    let lines = LineDifference(long, long.replacing("a", with: "b"))
    #expect(lines.added == 20_000 && lines.removed == 20_000)
  }

  @Test func `excerpts of long values show where they differ`() throws {
    let long = String(repeating: "x", count: 1000)
    let change = try #require(
      JourneyDifference(contents([], limit: .string(long + "1")), contents([], limit: .string(long + "2")))
        .changes.first)
    let (before, after) = change.excerpts()
    #expect(before != after && before?.count ?? 0 <= 202)
  }

  @Test func `the hash does not depend on the order of members, positions and revisions`() throws {
    let parts = [
      script("x"), Part(kind: Part.mailTemplate, id: "t", value: ["a": 1, "b": 2]),
    ]
    let others = [
      Part(kind: Part.mailTemplate, id: "t", value: ["b": 2, "a": 1]), script("x"),
    ]
    #expect(try contents(parts).hash == contents(others).hash)
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
    var marks = JourneyDrawing.Marks()
    (marks.taken, marks.counts) = ([.init(node: "a", outcome: "outcome"), no], [no: 17])
    (marks.visited, marks.last) = (["a", "b"], "b")
    let drawing = try #require(JourneyDrawing(graph, marks: marks))
    let geometry = drawing.geometry
    #expect(geometry.ways.filter(\.isTaken).map(\.text) == ["outcome", "false 17"])
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
