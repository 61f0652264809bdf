import ArgumentParser
import EvidenceLedger
import Foundation
import JourneyStore
import PingStorage

/// `sealring audit`: who signed what, with which key.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, show and export the verified signatures that a server keeps, and verify an export.",
    subcommands: [List.self, Show.self, Export.self, Verify.self])

  /// Where the server's data are. The server may be running.
  struct DataOptions: ParsableArguments {
    @Option(
      help: "Folder of the server's database and keys. Default: 'server' in the client's state folder.")
    var data: String?

    var directory: URL {
      data.map { URL(filePath: $0) } ?? ClientHome.standard.directory.appending(path: "server")
    }

    /// The ledger, to be read only.
    func archive() throws -> EvidenceArchive { try EvidenceArchive(directory: directory) }
  }
}

extension EvidenceEntry {
  var date: Date { Date(timeIntervalSince1970: Double(record.time) / 1000) }
}
