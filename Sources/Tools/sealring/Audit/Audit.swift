import ArgumentParser
internal import Bytes
import EvidenceLedger
import Foundation
import JourneyServer
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

  /// Where the server's data are. The server may be running.
  struct DataOptions: ParsableArguments {
    @Option(
      help: "Folder of the server's database and keys. Default: 'server' in the client's state folder.")
    var data: String?

    @Option(help: "The server's database, when that is not in its folder: postgres://user@host/database.")
    var database: String?

    var directory: URL {
      data.map { URL(filePath: $0) } ?? CurrentSettings.serverFolder
    }

    /// The ledger, to be read only.
    /// Runs `body` with the store, to be written.
    func withStore<Result>(_ body: (any EvidenceStore) async throws -> Result) async throws -> Result {
      if database == nil { _ = try LocalStore(directory: directory).databaseFile() }
      do {
        return try await LedgerOpening.withStore(
          database, directory: directory, keys: LocalStore.keyPlaces, body)
      } catch let error
        as ServerSetupError
      {
        throw CommandFailure("\(printable(error.description)) Check --database.", code: .invalid)
      }
    }

    func archive() async throws -> any LedgerArchive {
      if database == nil { _ = try LocalStore(directory: directory).databaseFile() }
      do {
        return try await LedgerOpening.archive(
          database, directory: directory, keys: LocalStore.keyPlaces)
      } catch let error
        as ServerSetupError
      {
        throw CommandFailure("\(printable(error.description)) Check --database.", code: .invalid)
      }
    }
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
  /// ``json`` with what the signature proves of the transaction.
  var report: JSONObject {
    var object = json
    object["transactionProof"] = transactionProof.map { .string($0.rawValue) } ?? .null
    return object
  }

  var date: Date { Date(millisecondsSince1970: record.time) }
}
