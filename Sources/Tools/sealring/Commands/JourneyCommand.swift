import ArgumentParser
import Assembly
import BindingFormats
import Foundation
import JourneyEngine
import JourneyFiles
import JourneyGraphs
import StrictJSON

struct JourneyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journey",
    abstract: "Check, import, export, draw and compare journey files, and list, run, test and try journeys.",
    subcommands: [
      Check.self, Import.self, Export.self, List.self, Draw.self, Diff.self, Run.self, Test.self, Try.self,
    ])
}

extension JourneyCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List a realm's journeys as the server has them: for administrators and auditors.",
      discussion: """
        LEVEL is the lowest authentication level that a success can have, and AT MOST the highest. A journey that is not enabled can only \
        run inside another one. Each journey has one line; where the last column does not fit, --json has all of it.
        """)

    @OptionGroup var administration: User.Administration

    @Option(help: "List the journeys in this folder, as given to the server, and ask no server.")
    var journeys: String?

    @Flag(
      help: "Show the SHA-256 of each journey, with all that belongs to it: equal where the same journey is.")
    var hashes = false

    @OptionGroup var output: ResultOptions

    func run() async throws {
      if let journeys { return try listFiles(in: journeys) }
      let journeys = try await administration.signedIn { try await $0.journeys() }
      var columns: [Column<JSONValue>] = [Column("JOURNEY", of: "_id")]
      if hashes {
        columns.append(Column("SHA-256", of: "hash"))
      } else {
        columns.append(Column("ENABLED") { $0["enabled"]?.boolValue == true ? "yes" : "no" })
        columns.append(Column("LEVEL", number: { Int($0["guaranteedLevel"]?.integerValue ?? 0) }))
        columns.append(Column("AT MOST", number: { Int($0["reachableLevel"]?.integerValue ?? 0) }))
        columns.append(Column("DESCRIPTION", of: "description"))
      }
      output.records(
        journeys, columns,
        none: "Realm \(printable(administration.server.realm)) has no journeys.", cutsLast: !hashes)
    }

    /// Says where files belong, because exports are often put into the folder itself, where no server looks.
    private static func nothing(in folder: String, of realm: String) -> String {
      let name = RealmPath(realm).name.replacing("/", with: ".")
      let place = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      return "Realm \(printable(realm)) has no journeys in \(printable(folder)). Its exports belong in "
        + "\(printable(place))."
    }

    /// Lists the journeys that a server would load from the folder.
    private func listFiles(in folder: String) throws {
      let realm = administration.server.realm
      let files = try JourneyFiles.files(inFolder: folder, realm: realm)
      let (catalog, loaded) = try JourneyFileCheck.examine(files, realm: realm)
      let loads = Dictionary(
        loaded.flatMap { file in file.journeys.map { ($0, !file.refused.contains($0)) } },
        uniquingKeysWith: { first, _ in first })
      let journeys = catalog.summaries(realm: realm).filter { loads[$0.name] != nil }
      let contents = catalog.contents(
        realm: realm, policies: try JourneyFiles.policies(inFolder: folder, realm: realm))
      func hash(_ journey: JourneySummary) -> String { contents[journey.name]?.hash ?? "" }
      for file in loaded {
        for fault in file.faults.prefix(1) { Output.remark(printable("\(fault)")) }
        if file.faults.count > 1 {
          Output.remark(
            "\(file.faults.count - 1) more are wrong with it: sealring journey check \(printable(file.source))"
          )
        }
      }
      if hashes, !output.json {
        return output.list(
          journeys, [Column("JOURNEY", "_id") { $0.name }, Column("SHA-256", "hash") { hash($0) }],
          none: Self.nothing(in: folder, of: realm))
      }
      output.list(
        journeys,
        [
          Column("JOURNEY", "_id") { $0.name }, Column(nil, "description") { $0.description },
          Column("LOADS") { loads[$0.name] == true ? "yes" : "no" },
          Column("ENABLED", "enabled", text: { $0.canStart ? "yes" : "no" }, json: { .bool($0.canStart) }),
          Column(nil, "source") { $0.source }, Column(member: "loads") { .bool(loads[$0.name] == true) },
          Column(member: "hash") { .string(hash($0)) },
          Column("LEVEL", "guaranteedLevel", number: \.guaranteedLevel),
          Column("AT MOST", "reachableLevel", number: \.reachableLevel),
          Column("FILE") { URL(filePath: $0.source).lastPathComponent },
          Column("RUNS INSIDE", "inner") {
            $0.inner.joined(separator: ", ")
          } json: {
            .array($0.inner.map { .string($0) })
          },
        ], none: Self.nothing(in: folder, of: realm), cutsLast: true)
    }
  }
}
