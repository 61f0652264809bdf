import ArgumentParser
import JourneyEngine
import JourneyServer
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
        run inside another one.
        """)

    @OptionGroup var administration: User.Administration

    @Option(help: "List the journeys in this folder, as given to the server, and ask no server.")
    var journeys: String?

    @OptionGroup var output: ResultOptions

    func run() async throws {
      if let journeys { return try listFiles(in: journeys) }
      let journeys = try await administration.signedIn { try await $0.journeys() }
      if output.json { return Output.json(.array(journeys)) }
      Output.table(
        journeys, head: ["JOURNEY", "ENABLED", "LEVEL", "AT MOST", "SOURCE", "DESCRIPTION"],
        none: "Realm \(printable(administration.server.realm)) has no journeys."
      ) { journey in
        [
          journey["_id"]?.stringValue ?? "", journey["enabled"]?.boolValue == true ? "yes" : "no",
          String(journey["guaranteedLevel"]?.integerValue ?? 0),
          String(journey["reachableLevel"]?.integerValue ?? 0), journey["source"]?.stringValue ?? "",
          journey["description"]?.stringValue ?? "",
        ]
      }
    }

    /// What a server would have from the folder.
    private func listFiles(in folder: String) throws {
      let realm = administration.server.realm
      let files = try JourneyFiles.files(inFolder: folder, realm: realm)
      let (catalog, loaded) = try JourneyFileCheck.examine(files, realm: realm)
      let faults = Dictionary(
        loaded.flatMap { file in
          let refused = Set(file.refused)
          return file.journeys.map { name in
            (
              name,
              refused.contains(name) ? file.faults.first { $0.journey == nil || $0.journey == name } : nil
            )
          }
        },
        uniquingKeysWith: { first, _ in first })
      let names = Set(loaded.flatMap(\.journeys))
      let journeys = catalog.summaries(realm: realm).filter { names.contains($0.name) }
      for file in loaded {
        for fault in file.faults.prefix(1) { Output.remark(printable("\(fault)")) }
        if file.faults.count > 1 {
          Output.remark(
            "\(file.faults.count - 1) more are wrong with it: sealring journey check \(printable(file.source))"
          )
        }
      }
      if output.json {
        return Output.json(
          .array(
            journeys.map { journey in
              [
                "_id": .string(journey.name), "description": .string(journey.description),
                "enabled": .bool(journey.canStart), "source": .string(journey.source),
                "loads": .bool(faults[journey.name].flatMap(\.self) == nil),
                "guaranteedLevel": .integer(Int64(journey.guaranteedLevel)),
                "reachableLevel": .integer(Int64(journey.reachableLevel)),
                "inner": .array(journey.inner.map { .string($0) }),
              ]
            }))
      }
      Output.table(
        journeys, head: ["JOURNEY", "LOADS", "ENABLED", "LEVEL", "AT MOST", "RUNS INSIDE", "FILE"],
        none: "Realm \(printable(realm)) has no journeys in \(printable(folder))."
      ) { journey in
        [
          journey.name, faults[journey.name].flatMap(\.self) == nil ? "yes" : "no",
          journey.canStart ? "yes" : "no", String(journey.guaranteedLevel),
          String(journey.reachableLevel), journey.inner.joined(separator: ", "), journey.source,
        ]
      }
    }
  }
}
