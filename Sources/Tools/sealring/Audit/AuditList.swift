import ArgumentParser
import EvidenceLedger
import Foundation
import JourneyStore
import StrictJSON

extension Audit {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List verified signatures, the newest first.")

    @OptionGroup var data: DataOptions

    @Option(help: "Only those of this user.")
    var user: String?

    @Option(help: "The user's realm.")
    var realm = CurrentSettings.text("realm")

    @Option(help: "At most so many.")
    var limit = 50

    @Flag(help: "Print the entries as JSON.")
    var json = false

    func validate() throws {
      guard (1...100_000).contains(limit) else {
        throw ValidationError("--limit is a number from 1 to 100000.")
      }
    }

    /// What the signature proves of a transaction.
    private static func remark(_ proof: TransactionProof) -> String {
      switch proof {
      case .txn: "signed"
      case .plain: "signed, plain"
      case .none: "not signed"
      case .contradicted: "contradicted"
      }
    }

    func run() async throws {
      let entries = try await data.archive().entries(
        EvidenceQuery(realm: user == nil ? nil : realm, username: user, limit: limit))
      if json {
        Output.json(.array(entries.map { .object($0.report) }))
      } else if entries.isEmpty {
        Output.remark("No signature has been verified yet\(user.map { " of \(printable($0))" } ?? "").")
      } else {
        Output.table(
          head: ["NUMBER", "TIME", "KIND", "REALM", "USER", "JOURNEY", "DEVICE", "TRANSACTION"],
          rows: entries.map { entry in
            let record = entry.record
            return [
              String(entry.number), entry.date.formatted(.iso8601), record.kind.rawValue,
              printable(record.realm), printable(record.username), printable(record.journey),
              printable(record.device), entry.transactionProof.map(Self.remark) ?? "",
            ]
          })
      }
    }
  }
}
