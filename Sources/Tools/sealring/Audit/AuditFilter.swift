import ArgumentParser
import BindingFormats
internal import Bytes
import JourneyStore

/// The filter for entries of the ledger, or for push decisions.
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

  /// The realm for queries to a server.
  var serverRealm: String { RealmPath(realm ?? CurrentSettings.text("realm")).name }

  /// - Parameter isServer: whether a server is queried, which always needs a realm.
  func query(kind: String?, isServer: Bool) -> EvidenceQuery {
    EvidenceQuery(
      realm: isServer || user != nil ? serverRealm : realm.map { RealmPath($0).name }, username: user,
      since: time.since?.date.millisecondsSince1970, until: time.until?.date.millisecondsSince1970,
      kind: kind, offset: offset, limit: limit)
  }

  /// Whether the filter has more than a realm.
  var isNarrow: Bool { !time.isOpen || offset > 0 }
}
