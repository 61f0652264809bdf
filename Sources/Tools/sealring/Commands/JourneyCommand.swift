import ArgumentParser
import JourneyEngine
import JourneyServer
import StrictJSON

struct JourneyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journey", abstract: "Check journey files, and list, run and test journeys.",
    subcommands: [Check.self, Run.self, Test.self, List.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check whether the server would load an exported journey file, and say what is wrong with it."
    )

    @Argument(help: "The exported file (*.journey.json).", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup(title: "Key attestation, as given to the server") var attestation: AttestationTrustOptions

    @OptionGroup(title: "WebAuthn, as given to the server") var webAuthn: WebAuthnTrustOptions

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let bytes = try GivenFile.bytes(file, limit: 64 << 20)
      let trusted = try attestation.configuration()
      let authenticators = try await webAuthn.trust(revokedCertificates: attestation.revokedCertificates)
      do {
        let report = try JourneyFileCheck.check(
          bytes, source: file, attestation: trusted, webAuthn: authenticators)
        if output.json {
          Output.json([
            "file": .string(file), "journeys": .array(report.journeys.map { .string($0) }),
            "warnings": .array(report.warnings.map { .string($0.description) }),
          ])
        } else {
          for warning in report.warnings { Output.remark("warning: \(printable(warning.description))") }
          Output.line("\(file): \(report.journeys.map(printable).joined(separator: ", ")) will load.")
        }
      } catch let error as JourneyFileError {
        if output.json {
          Output.json([
            "file": .string(file), "problem": .string(error.problem),
            "journey": error.journey.map { .string($0) } ?? .null,
            "node": error.nodeID.map { .string($0) } ?? .null,
            "type": error.nodeType.map { .string($0) } ?? .null,
            "property": error.property.map { .string($0) } ?? .null,
          ])
        }
        throw CommandFailure("\(file): \(printable(error.description))", code: .invalid)
      }
    }
  }
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
    @OptionGroup var output: ResultOptions

    func run() async throws {
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
  }
}
