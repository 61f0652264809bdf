import ArgumentParser
internal import Bytes
import Foundation
import JourneyStore
import StrictJSON

extension Audit {
  struct Push: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List push requests and their outcomes, newest first.",
      discussion: """
        Push answers are not part of the ledger: they are signed with a secret that the server also has, so they prove nothing to third parties.
        """)

    @OptionGroup var place: DataOrServer
    @OptionGroup var filter: AuditFilter

    @Option(help: "Only this type of request: default, challenge, biometric or code.")
    var kind: Kind?

    enum Kind: String, ExpressibleByArgument, CaseIterable { case `default`, challenge, biometric, code }

    @OptionGroup var output: ResultOptions

    private func decisions() async throws -> [JSONValue] {
      let query = filter.query(kind: kind?.rawValue, isServer: place.server != nil)
      if let administration = try place.administration(realm: filter.serverRealm) {
        return try await administration.signedIn { try await $0.pushDecisions(query) }
      }
      return try await place.data.place.look { store in
        if let realm = query.realm, let user = query.username {
          _ = try await ServerPlace.account(user, realm: realm, in: store)
        }
        return try await store.pushDecisions(query).map { .object($0.json) }
      }
    }

    func run() async throws {
      let decisions = try await decisions().map { JSONTimes.converted($0, "sent", "decided") }
      output.records(
        decisions,
        [
          Column("NUMBER", number: { Int($0["number"]?.integerValue ?? 0) }),
          Column("DECIDED", time: { $0["decided"]?.stringValue.flatMap { Date(iso8601: $0) } }),
          Column("DECISION", of: "decision"), Column("REALM", of: "realm"), Column("USER", of: "username"),
          Column("TYPE", of: "type"), Column("DEVICE", of: "deviceName"), Column("REASON", of: "reason"),
        ], none: "No push request matches.")
    }
  }
}
