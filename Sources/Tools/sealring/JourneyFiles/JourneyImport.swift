import ArgumentParser
import Foundation
import JourneyEngine
import JourneyServer
import StrictJSON

extension JourneyCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put exported journeys into a server's folder of journeys, once they pass the check.",
      discussion: """
        Each journey gets a file of its own, DIR/REALM/NAME.journey.json, with its scripts in it; only you can read it, since exports may hold \
        secrets. A server with --watch takes it at once, others when they start.
        """)

    @Argument(help: "Exported files, or folders of them.", completion: .file(extensions: ["json"]))
    var files: [String]

    @Option(help: "The folder, as given to the server.", completion: .directory)
    var journeys: String

    @Option(help: "The realm.")
    var realm = "alpha"

    @Flag(help: "Replace journeys that are there.")
    var replace = false

    @Flag(help: "Refuse journeys with warnings, too.")
    var strict = false

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let folder = try JourneyFiles.folderURL(journeys, realm: realm)
      let given = try JourneyFiles.files(files)
      // What is there takes part in the check: it may be run inside, and must not be the same journey under another name.
      let present = try JourneyFiles.files(inFolder: journeys, realm: realm)
      let examined = try JourneyFileCheck.examine(given, realm: realm).files
      let names = Set(examined.flatMap(\.journeys))
      guard !names.isEmpty || examined.contains(where: { !$0.faults.isEmpty }) else {
        throw CommandFailure(
          "There is no journey to import. Node types come along with the journeys that use them.",
          code: .invalid)
      }
      let targets = Dictionary(
        names.map { ($0, folder.appending(path: JourneyFiles.fileName(of: $0)).path(percentEncoded: false)) },
        uniquingKeysWith: { first, _ in first })
      let replaced = Set(targets.values)
      let (catalog, all) = try JourneyFileCheck.examine(
        given + present.filter { !replaced.contains($0.source) }, realm: realm)
      let loaded = Array(all.prefix(given.count))
      let findings = JourneyFinding.all(in: loaded, warnings: catalog.warnings)
      for finding in findings { Output.remark(finding.text(isStrict: strict)) }
      guard !findings.contains(where: { $0.isError || strict }) else {
        throw CommandFailure("Nothing was imported.", code: .invalid)
      }
      let there = targets.filter { FileManager.default.fileExists(atPath: $0.value) }.keys.sorted()
      guard replace || there.isEmpty else {
        throw CommandFailure(
          "Nothing was imported: realm \(printable(realm)) has \(printable(there.joined(separator: ", "))) already. Add --replace.",
          code: .conflict)
      }
      do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
        throw CommandFailure(
          "\(printable(folder.path)) cannot be made: \(PlainReason.of(error))",
          code: PlainReason.code(of: error))
      }
      for (name, path) in targets.sorted(by: { $0.key < $1.key }) {
        guard let document = catalog.document(journey: name, realm: realm) else { continue }
        let whole = document.withScripts(
          of: catalog.attachments(journey: name, realm: realm) ?? JourneyAttachments()
        ).withNodeTypes(catalog.nodeTypes(journey: name, realm: realm))
        try AtomicFile.write(whole.serialized + [UInt8(ascii: "\n")], to: path, replaces: replace)
      }
      let list = names.sorted()
      output.done(
        "Imported \(printable(list.joined(separator: ", "))) into \(printable(folder.path)).",
        ["journeys": .array(list.map { .string($0) }), "folder": .string(folder.path)])
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write journeys as one export file, with all that was read of them.",
      discussion: """
        Without --journeys the bundled journeys are meant. One journey is written by itself, several under `trees`. What this server does not \
        read is written, too; scripts that stand in files of their own are put into the export.
        """)

    @Argument(help: "The journeys' names, or files.")
    var names: [String]

    @Option(help: "The folder that they are in, as given to the server.", completion: .directory)
    var journeys: String?

    @Option(help: "The realm.")
    var realm = "alpha"

    @Option(name: [.long, .short], help: "The file to write. Default: standard output.", completion: .file())
    var file: String?

    @Flag(help: "Replace the file if it exists.")
    var force = false

    func run() async throws {
      let found = try names.map { try NamedJourney($0, folder: journeys, realm: realm) }
      var document = found[0].portable
      if found.count > 1 {
        document = [
          "trees": .object(JSONObject(found.map { ($0.name, .object($0.portable)) }))
        ]
      }
      let bytes = document.serialized + [UInt8(ascii: "\n")]
      guard let file else { return Output.bytes(bytes) }
      try AtomicFile.write(bytes, to: file, replaces: force)
    }
  }
}
