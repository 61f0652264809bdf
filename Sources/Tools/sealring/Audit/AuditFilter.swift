import ArgumentParser
internal import Bytes
import Foundation
import JourneyStore

/// Which entries of the ledger, or which decisions, are wanted.
struct AuditFilter: ParsableArguments {
  @Option(help: "Only those of this user.")
  var user: String?

  @Option(help: "Only those of this realm. With --user or --server, alpha unless it is said.")
  var realm: String?

  @Option(help: "Only from then on: \(PointInTime.help)")
  var since: PointInTime?

  @Option(help: "Only those before then.")
  var until: PointInTime?

  @Option(help: "At most so many.")
  var limit = 50

  @Option(help: "Leave out so many of the newest.")
  var offset = 0

  func validate() throws {
    guard (1...100_000).contains(limit) else {
      throw ValidationError("--limit is a number from 1 to 100000.")
    }
    guard (0...100_000).contains(offset) else {
      throw ValidationError("--offset is a number from 0 to 100000.")
    }
  }

  /// The realm to ask a server about.
  var serverRealm: String { realm ?? CurrentSettings.text("realm") }

  /// - Parameter isServer: whether one realm is asked for in any case.
  func query(kind: String?, isServer: Bool) -> EvidenceQuery {
    EvidenceQuery(
      realm: isServer || user != nil ? serverRealm : realm, username: user,
      since: since?.date.millisecondsSince1970,
      until: until?.date.millisecondsSince1970, kind: kind, offset: offset, limit: limit)
  }

  /// Whether anything but the realm is asked for.
  var isNarrow: Bool { since != nil || until != nil || offset > 0 }
}
