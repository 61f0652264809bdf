import ArgumentParser
internal import Bytes
import EvidenceLedger
import Foundation
import JourneyStore
import StrictJSON

struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "List, show, export and prove the verified signatures that a server keeps, and verify exports and proofs.",
    discussion: """
      Works on the server's own data, or with --server over HTTP, with the session of an administrator or auditor.
      """,
    subcommands: [
      List.self, Show.self, Push.self, Export.self, Verify.self, Checkpoint.self, Prove.self, Witness.self,
      Retain.self,
    ])

  /// The place of the server's data. The server may be running.
  struct DataOptions: ParsableArguments {
    @Option(
      help: "Folder of the server's database and keys. Default: 'server' in the client's state folder.")
    var data: String?

    @Option(help: "The server's PostgreSQL: postgres://USER@HOST/DATABASE. Default: SQLite in the folder.")
    var database: String?

    func validate() throws { _ = try place }

    var place: ServerPlace { get throws { try ServerPlace(data: data, database: database) } }

    /// Runs `body` with the store, open for writing.
    func withStore<Result>(
      _ body: (any ServerStore, ServerPlace) async throws -> Result
    ) async throws -> Result {
      let place = try place
      return try await place.use { try await body($0, place) }
    }

    /// Opens the ledger for reading.
    func archive() async throws -> any LedgerArchive { try await place.ledger() }
  }
}

/// `--plain-proofs` of the commands that verify.
enum PlainProofs {
  static let help = ArgumentHelp(
    "Accept transactions whose signature lacks the claim txn, in all entries.",
    discussion:
      "For ledgers from before devices set it. Such a signature does not say that the person saw the fields.")
}

extension EvidenceEntry {
  /// ``json`` with its time in the format of commands, and with what the signature proves about the transaction. Exports contain only the
  /// entry.
  var report: JSONObject {
    var object = json
    object["time"] = .string(JSONTimes.text(record.time))
    object["transactionProof"] = transactionProof.map { .string($0.rawValue) } ?? .null
    return object
  }

  var date: Date { Date(millisecondsSince1970: record.time) }
}
