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
      let graph = try JourneyContents.named(journey, folder: journeys, realm: realm).graph
      guard let drawing = JourneyDrawing(graph) else {
        throw CommandFailure.unsupported(
          "Journey \(printable(graph.name)) has more than \(JourneyDrawing.maximumNodes) nodes and was not drawn."
        )
      }
      try AtomicFile.write(Array(drawing.svg.utf8), to: file, replaces: force)
    }
  }

  struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Compare two journeys: scripts, mail templates and all else that belongs to them, nodes, properties and connections.",
      discussion: """
        Exit code 1 when they differ. Scripts and mail templates are compared by lines, and journeys that run inside are compared, too. \
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
      let one = try JourneyContents.named(before, folder: journeys, realm: realm)
      let other = try JourneyContents.named(after, folder: journeys, realm: realm)
      let found = Self.compare(one, other, journey: nil)
      if output.json {
        Output.json(.array(found.flatMap { found in found.changes.map { $0.json(inside: found.journey) } }))
      } else {
        if found.isEmpty { Output.remark("There is no difference.") }
        for (journey, changes) in found {
          if let journey { Output.line("In \(printable(journey)), which runs inside:") }
          for change in changes {
            Output.line(printable(change.text))
            for line in change.lines?.lines ?? [] { Output.line("    \(line.shown)") }
          }
        }
      }
      if !found.isEmpty { throw ExitCode.failure }
    }

    /// The differences of the journeys, followed by those of their inner journeys.
    private static func compare(
      _ before: JourneyContents, _ after: JourneyContents, journey: String?
    ) -> [(journey: String?, changes: [JourneyDifference.Change])] {
      let changes = JourneyDifference(before, after).changes
      let inner = before.inner.keys.sorted().flatMap { name in
        guard let one = before.inner[name], let other = after.inner[name], one.hash != other.hash else {
          return [(journey: String?, changes: [JourneyDifference.Change])]()
        }
        return compare(one, other, journey: name)
      }
      return (changes.isEmpty ? [] : [(journey, changes)]) + inner
    }
  }
}

extension JourneyContents {
  fileprivate static func named(_ text: String, folder: String?, realm: String) throws -> JourneyContents {
    guard let contents = try NamedJourney(text, folder: folder, realm: realm).contents else {
      throw CommandFailure.invalid("\(printable(text)) is not a journey.")
    }
    return contents
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
    let place = [part, node ?? "journey", property].compactMap(\.self).joined(separator: " ")
    guard property != nil else {
      guard let lines else { return "\(sign) \(place)" }
      return "\(sign) \(place): \(lines.added) lines added, \(lines.removed) removed"
    }
    switch excerpts() {
    case (let before?, let after?): return "\(sign) \(place): \(before) → \(after)"
    case (let value?, nil), (nil, let value?): return "\(sign) \(place): \(value)"
    case (nil, nil): return "\(sign) \(place)"
    }
  }

  /// - Parameter journey: the inner journey that has the difference.
  fileprivate func json(inside journey: String?) -> JSONValue {
    var object: JSONObject = ["change": .string(kind.rawValue)]
    object["journey"] = journey.map { .string($0) }
    object["part"] = part.map { .string($0) }
    object[part == nil ? "node" : "name"] = node.map { .string($0) }
    object["id"] = id.map { .string($0) }
    object["property"] = property.map { .string($0) }
    object["before"] = before
    object["after"] = after
    if let lines {
      object["linesAdded"] = .integer(Int64(lines.added))
      object["linesRemoved"] = .integer(Int64(lines.removed))
      object["lines"] = .array(
        lines.lines.map {
          ["kind": .string($0.kind.rawValue), "number": .integer(Int64($0.number)), "text": .string($0.text)]
        })
    }
    return .object(object)
  }
}
