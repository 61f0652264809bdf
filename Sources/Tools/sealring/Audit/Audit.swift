import ArgumentParser
import EvidenceLedger
import Foundation
import JourneyStore
import StrictJSON
import PingStorage

/// `sealring audit`: who signed what, with which key.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, show and export the verified signatures that a server keeps, and verify an export.",
    subcommands: [List.self, Show.self, Export.self, Verify.self])

  /// Where the server's data are. They are only read, and the server may be running.
  struct DataOptions: ParsableArguments {
    @Option(
      help: "Folder of the server's database and keys. Default: 'server' in the client's state folder.")
    var data: String?

    func archive() throws -> EvidenceArchive {
      try EvidenceArchive(
        directory: data.map { URL(filePath: $0) } ?? ClientHome.standard.directory.appending(path: "server"))
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

  var date: Date { Date(timeIntervalSince1970: Double(record.time) / 1000) }
}
