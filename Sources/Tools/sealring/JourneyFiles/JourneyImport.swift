import ArgumentParser
import Foundation
import JourneyEngine
import JourneyFiles
import StrictJSON

extension JourneyCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put exported journeys into a server's folder of journeys, once they pass the check.",
      discussion: """
        A journey with an error is not imported, and the others are; the command then exits with 1. Each journey gets a file of its own, DIR/REALM/NAME.journey.json, with its scripts in it; only you can read it, since exports may hold \
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

    @Flag(help: "Import nothing when there are warnings; notes are none.")
    var strict = false

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let folder = try JourneyFiles.folderURL(journeys, realm: realm)
      let groups = try JourneyFiles.groups(files)
      guard groups.count <= 1 else {
        let realms = groups.map { $0.realm.map { "realm \($0)" } ?? "no realm" }.joined(separator: ", ")
        throw CommandFailure.invalid(
          "Nothing was imported: there are journeys of \(printable(realms)). Name the folder of one realm.")
      }
      let given = groups.flatMap(\.files)
      // Existing journeys take part in the check: new ones may run them inside, and must not duplicate them under another name.
      let present = try JourneyFiles.files(inFolder: journeys, realm: realm)
      let examined = try JourneyFileCheck.examine(given, realm: realm).files
      let known = Set(examined.flatMap(\.journeys))
      guard !known.isEmpty || examined.contains(where: { !$0.faults.isEmpty }) else {
        throw CommandFailure.invalid(
          "There is no journey to import. Node types come along with the journeys that use them.")
      }
      func target(_ name: String) -> String {
        folder.appending(path: JourneyFiles.fileName(of: name)).path(percentEncoded: false)
      }
      let replaced = Set(known.map(target))
      let (catalog, all) = try JourneyFileCheck.examine(
        given + present.filter { !replaced.contains($0.source) }, realm: realm)
      let loaded = Array(all.prefix(given.count))
      let findings = JourneyFinding.all(in: loaded, warnings: catalog.warnings)
      for finding in findings { Output.remark(finding.text(isStrict: strict)) }
      let names = Set(loaded.flatMap(\.loaded)).sorted()
      guard !names.isEmpty, !strict || !findings.contains(where: { $0.isError(true) }) else {
        throw CommandFailure.invalid("Nothing was imported.")
      }
      let there = names.filter { FileManager.default.fileExists(atPath: target($0)) }
      guard replace || there.isEmpty else {
        throw CommandFailure.conflict(
          "Nothing was imported: realm \(printable(realm)) has \(printable(there.joined(separator: ", "))) already. Add --replace."
        )
      }
      try JourneyFiles.makeFolder(folder, named: folder)
      for name in names {
        guard let whole = catalog.portableDocument(journey: name, realm: realm) else { continue }
        try AtomicFile.write(JourneyExport.bytes(whole), to: target(name), replaces: replace)
      }
      output.done(
        "Imported \(printable(names.joined(separator: ", "))) into \(printable(folder.path)).",
        ["journeys": .array(names.map { .string($0) }), "folder": .string(folder.path)])
      let missing =
        loaded.flatMap(\.refused)
        + loaded.filter { $0.journeys.isEmpty && $0.nodeTypes.isEmpty }.map(\.source)
      guard !missing.isEmpty else { return }
      throw CommandFailure.invalid("Not imported: \(printable(missing.sorted().joined(separator: ", "))).")
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write journeys as one export file, with all that was read of them.",
      discussion: """
        Without --journeys the bundled journeys are meant. One journey is written by itself, several under `trees`. What this server does not \
        read is written, too; scripts that stand in files of their own are put into the export. The same journey always gives the same \
        bytes, with a line for each member, so that version control shows what changed; with --split scripts are text files beside it.
        """)

    @Argument(help: "The journeys' names, or files.")
    var names: [String]

    @Option(help: "The folder that they are in, as given to the server.", completion: .directory)
    var journeys: String?

    @Option(help: "The realm.")
    var realm = "alpha"

    @Option(name: [.long, .short], help: "The file to write. Default: standard output.", completion: .file())
    var file: String?

    @Option(
      help: "Write each journey into this folder, as NAME.journey.json with its scripts in NAME.scripts/.",
      completion: .directory)
    var split: String?

    @Flag(help: "Replace files that exist.")
    var force = false

    func validate() throws {
      if split != nil, file != nil { throw ValidationError("--split and --file do not go together.") }
    }

    func run() async throws {
      let found = try names.map { try NamedJourney($0, folder: journeys, realm: realm) }
      if let split {
        for journey in found { try JourneyExport.write(journey, into: URL(filePath: split), replaces: force) }
        return
      }
      var document = found[0].portable
      if found.count > 1 {
        document = ["trees": .object(JSONObject(found.map { ($0.name, .object($0.portable)) }))]
      }
      try AtomicFile.write(JourneyExport.bytes(document), to: file, replaces: force)
    }
  }
}
