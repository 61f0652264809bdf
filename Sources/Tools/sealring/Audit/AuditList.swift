import ArgumentParser
import EvidenceLedger
import JourneyStore
import StrictJSON

extension Audit {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List verified signatures, newest first.")

    @OptionGroup var place: DataOrServer
    @OptionGroup var filter: AuditFilter

    @Option(help: "Only this kind: bind, sign, or certify for an SSH certificate.")
    var kind: Kind?

    enum Kind: String, ExpressibleByArgument, CaseIterable { case bind, sign, certify }

    @OptionGroup var output: ResultOptions

    /// What the signature proves about a transaction.
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
      // An unknown name is probably a typing error, which an empty list would hide.
      if let realm = query.realm, try await !archive.knows(username: query.username, realm: realm) {
        throw CommandFailure.notFound(
          query.username.map {
            "Realm \(printable(realm)) has no account \(printable($0)), and no evidence of one."
          }
            ?? "Realm \(printable(realm)) has no accounts and no evidence. Check --realm.")
      }
      return try await archive.evidence(query)
    }

    func run() async throws {
      let entries = try await entries()
      output.list(
        entries,
        [
          Column("NUMBER") { String($0.number) }, Column("TIME", time: \.date),
          Column("KIND") { $0.record.kind.rawValue }, Column("REALM") { $0.record.realm },
          Column("USER") { $0.record.username }, Column("JOURNEY") { $0.record.journey },
          Column("DEVICE") { $0.record.device },
          Column("TRANSACTION") { $0.transactionProof.map(Self.remark) },
        ],
        none: filter.isNarrow || kind != nil
          ? "No entry matches."
          : "No signature has been verified yet\(filter.user.map { " of \(printable($0))" } ?? "").",
        record: { .object($0.report) })
    }
  }
}
