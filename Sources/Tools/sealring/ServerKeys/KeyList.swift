import ArgumentParser
import Foundation
import JourneyStore
import StrictJSON

struct KeyList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract:
      "List the server keys of a database: state, place, how many secrets each has encrypted, and which servers have it.",
    discussion: """
      States: announced (servers accept it), active (encrypts), accepted (decrypts only), retired (counts no more), revoked (nor does what was \
      sealed by means of it). A key itself is never shown.
      """)

  @OptionGroup var place: ServerKeyOptions
  @OptionGroup var output: ResultOptions

  func run() async throws {
    try await place.use { store, _ in
      let entries = try await store.refreshKeys()
      let current = store.serverKey.currentID
      let counts = try await store.sealedCounts()
      let holders = try await store.keyHolders(within: ServerKeyRotation.absence)
      let places = Dictionary(
        store.serverKey.loaded.map { ($0.id, $0.place) }, uniquingKeysWith: { first, _ in first })
      func servers(_ entry: ServerKeyEntry) -> [String] {
        holders.filter { $0.keys.contains(entry.id) }.map(\.server)
      }
      output.list(
        entries,
        [
          Column("KEY", "id") { $0.id }, Column("STATE", "state") { $0.state(current: current) },
          Column(member: "generation") { .integer($0.generation) },
          Column(member: "announcedAt") { Self.time($0.announcedAt) },
          Column(member: "activatedAt") { Self.time($0.activatedAt) },
          Column(member: "retiredAt") { Self.time($0.retiredAt) }, Column(nil, "place") { places[$0.id] },
          Column("SECRETS", "secrets", number: { counts[$0.id] ?? 0 }),
          Column("SERVERS", "servers") {
            "\(servers($0).count) of \(holders.count)"
          } json: {
            .array(servers($0).map { .string($0) })
          },
          Column("PLACE", none: "not here") { places[$0.id] },
        ])
    }
  }

  /// A time in JSON; `null` for a database's first key, which is as old as the database.
  private static func time(_ date: Date?) -> JSONValue {
    guard let date, date.timeIntervalSince1970 > 0 else { return .null }
    return .string(date.formatted(.iso8601))
  }
}
