import ArgumentParser
import JourneyGraphs
import StrictJSON

extension JourneyCommand {
  struct Draw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Draw a journey as SVG.",
      discussion: """
        The journey is a file, FILE#NAME for a file with several, or a name among the bundled journeys or in --journeys. It is drawn as the file \
        has it, whether it would load or not.
        """)

    @Argument(help: "The journey: a file, FILE#NAME, or a name.", completion: .file(extensions: ["json"]))
    var journey: String

    @Option(help: "The folder that the name is in, as given to the server.", completion: .directory)
    var journeys: String?

    @Option(help: "The realm.")
    var realm = "alpha"

    @Option(name: [.long, .short], help: "The file to write. Default: standard output.", completion: .file())
    var file: String?

    @Flag(help: "Replace the file if it exists.")
    var force = false

    func run() async throws {
      let graph = try JourneyGraph.named(journey, folder: journeys, realm: realm)
      guard let drawing = JourneyDrawing(graph) else {
        throw CommandFailure.unsupported(
          "Journey \(printable(graph.name)) has more than \(JourneyDrawing.maximumNodes) nodes and was not drawn."
        )
      }
      let bytes = Array(drawing.svg.utf8)
      guard let file else { return Output.bytes(bytes) }
      try AtomicFile.write(bytes, to: file, replaces: force)
    }
  }

  struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compare two journeys: their nodes, properties and connections.",
      discussion: """
        Each is a file, FILE#NAME for a file with several, or a name among the bundled journeys or in --journeys. A node that got another id, as \
        imports give it, is recognised by its type and name. Positions in the editor and revisions are not compared.
        """)

    @Argument(help: "The journey before.", completion: .file(extensions: ["json"]))
    var before: String

    @Argument(help: "The journey after.", completion: .file(extensions: ["json"]))
    var after: String

    @Option(help: "The folder that names are in, as given to the server.", completion: .directory)
    var journeys: String?

    @Option(help: "The realm.")
    var realm = "alpha"

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let changes = JourneyDifference(
        try JourneyGraph.named(before, folder: journeys, realm: realm),
        try JourneyGraph.named(after, folder: journeys, realm: realm)
      ).changes
      if output.json { return Output.json(.array(changes.map(\.json))) }
      guard !changes.isEmpty else { return Output.remark("There is no difference.") }
      for change in changes { Output.line(printable(change.text)) }
    }
  }
}

extension JourneyGraph {
  fileprivate static func named(_ text: String, folder: String?, realm: String) throws -> JourneyGraph {
    let journey = try NamedJourney(text, folder: folder, realm: realm)
    guard let graph = JourneyGraph(journey.document, name: journey.name) else {
      throw CommandFailure.invalid("\(printable(text)) is not a journey.")
    }
    return graph
  }
}

extension JourneyDifference.Change {
  fileprivate var text: String {
    let sign =
      switch kind {
      case .added: "+"
      case .removed: "-"
      case .changed: "~"
      }
    let place = [node ?? "journey", property].compactMap(\.self).joined(separator: " ")
    func shortened(_ value: JSONValue) -> String {
      value.text.count <= 200 ? value.text : value.text.prefix(199) + "…"
    }
    guard property != nil else { return "\(sign) \(place)" }
    switch (before, after) {
    case (let before?, let after?): return "\(sign) \(place): \(shortened(before)) → \(shortened(after))"
    case (let value?, nil), (nil, let value?): return "\(sign) \(place): \(shortened(value))"
    case (nil, nil): return "\(sign) \(place)"
    }
  }

  fileprivate var json: JSONValue {
    var object: JSONObject = ["change": .string(kind.rawValue)]
    object["node"] = node.map { .string($0) }
    object["id"] = id.map { .string($0) }
    object["property"] = property.map { .string($0) }
    object["before"] = before
    object["after"] = after
    return .object(object)
  }
}
