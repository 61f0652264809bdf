import ArgumentParser
import BindingFormats
internal import Bytes
import JourneyStore

/// Which entries of the ledger, or which decisions, are wanted.
struct AuditFilter: ParsableArguments {
  @Option(help: "Only entries of this user.")
  var user: String?

  @Option(help: "Only entries of this realm. With --user or --server, the default is alpha.")
  var realm: String?

  @OptionGroup var time: TimeRange

  @Option(help: "The maximum number to show.")
  var limit = 50

  @Option(help: "Skip this many of the newest.")
  var offset = 0

  func validate() throws {
    try (1...100_000).require(limit, for: "--limit")
    try (0...100_000).require(offset, for: "--offset")
  }

  /// The realm to ask a server about.
  var serverRealm: String { RealmPath(realm ?? CurrentSettings.text("realm")).name }

  /// - Parameter isServer: whether one realm is asked for in any case.
  func query(kind: String?, isServer: Bool) -> EvidenceQuery {
    EvidenceQuery(
      realm: isServer || user != nil ? serverRealm : realm.map { RealmPath($0).name }, username: user,
      since: time.since?.date.millisecondsSince1970, until: time.until?.date.millisecondsSince1970,
      kind: kind, offset: offset, limit: limit)
  }

  /// Whether anything but the realm is asked for.
  var isNarrow: Bool { !time.isOpen || offset > 0 }
}
