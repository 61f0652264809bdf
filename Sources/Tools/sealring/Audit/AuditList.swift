import ArgumentParser
import EvidenceLedger
import JourneyStore
import StrictJSON

extension Audit {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List verified signatures, newest first.")

    @OptionGroup var place: DataOrServer
    @OptionGroup var filter: AuditFilter

    @Option(help: "Only this kind: bind or sign.")
    var kind: Kind?

    enum Kind: String, ExpressibleByArgument, CaseIterable { case bind, sign }

    @OptionGroup var output: ResultOptions

    /// What the signature proves of a transaction.
    private static func remark(_ proof: TransactionProof) -> String {
      switch proof {
      case .txn: "signed"
      case .plain: "signed, plain"
      case .none: "not signed"
      case .contradicted: "contradicted"
      }
    }

    private func entries() async throws -> [EvidenceEntry] {
      if let administration = try place.administration(realm: filter.serverRealm) {
        return try await administration.signedIn {
          try await $0.evidence(filter.query(kind: kind?.rawValue, isServer: true))
        }
      }
      let archive = try await place.data.archive()
      let query = filter.query(kind: kind?.rawValue, isServer: false)
      // A name that nobody has or had is a slip, and an empty list would hide it.
      if let realm = query.realm, try await !archive.knows(username: query.username, realm: realm) {
        throw CommandFailure(
          query.username.map {
            "Realm \(printable(realm)) has no account \(printable($0)), and no evidence of one."
          }
            ?? "Realm \(printable(realm)) has no accounts and no evidence. Check --realm.", code: .notFound)
      }
      return try await archive.entries(query)
    }

    func run() async throws {
      let entries = try await entries()
      if output.json { return Output.json(.array(entries.map { .object($0.report) })) }
      Output.table(
        entries, head: ["NUMBER", "TIME", "KIND", "REALM", "USER", "JOURNEY", "DEVICE", "TRANSACTION"],
        none: filter.isNarrow || kind != nil
          ? "No entry matches."
          : "No signature has been verified yet\(filter.user.map { " of \(printable($0))" } ?? "")."
      ) { entry in
        let record = entry.record
        return [
          String(entry.number), Times.text(entry.date), record.kind.rawValue, record.realm, record.username,
          record.journey, record.device, entry.transactionProof.map(Self.remark) ?? "",
        ]
      }
    }
  }
}
