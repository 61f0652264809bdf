import ArgumentParser
import Foundation
import JourneyEngine
import JourneyServer
import StrictJSON

/// `sealring journey`: work on journey files, and play journeys.
struct JourneyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journey", abstract: "Work on journey files, and play journeys.",
    subcommands: [Check.self, Run.self, List.self])

  /// `sealring journey check FILE`: would the server load it?
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say whether the server would load an exported journey file, and what is wrong with it.")

    @Argument(help: "The exported file (*.journey.json).", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup(title: "Key attestation, as given to the server") var attestation: AttestationTrustOptions

    @OptionGroup(title: "WebAuthn, as given to the server") var webAuthn: WebAuthnTrustOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
      let bytes: Data
      do { bytes = try Data(contentsOf: URL(filePath: file)) } catch {
        throw CommandFailure(
          "\(file) cannot be read: \(PlainReason.of(error)) Check its name and who may read it.",
          code: PlainReason.code(of: error))
      }
      let trusted = try attestation.configuration()
      let authenticators = try await webAuthn.trust(revokedCertificates: attestation.revokedCertificates)
      do {
        let report = try JourneyFileCheck.check(
          [UInt8](bytes), source: file, attestation: trusted, webAuthn: authenticators)
        if json {
          Output.json([
            "file": .string(file), "journeys": .array(report.journeys.map { .string($0) }),
            "warnings": .array(report.warnings.map { .string($0.description) }),
          ])
        } else {
          for warning in report.warnings { Output.remark("warning: \(printable(warning.description))") }
          Output.line("\(file): \(report.journeys.map(printable).joined(separator: ", ")) will load.")
        }
      } catch let error as JourneyFileError {
        if json {
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
