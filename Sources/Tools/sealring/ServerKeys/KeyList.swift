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
      guard !output.json else {
        return Output.json(
          .array(
            entries.map { entry in
              [
                "id": .string(entry.id), "state": .string(entry.state(current: current)),
                "generation": .integer(entry.generation), "announcedAt": Self.time(entry.announcedAt),
                "activatedAt": Self.time(entry.activatedAt), "retiredAt": Self.time(entry.retiredAt),
                "place": places[entry.id].map { .string($0) } ?? .null,
                "secrets": .integer(Int64(counts[entry.id] ?? 0)),
                "servers": .array(servers(entry).map { .string($0) }),
              ]
            }))
      }
      Output.table(entries, head: ["KEY", "STATE", "SECRETS", "SERVERS", "PLACE"]) { entry in
        [
          entry.id, entry.state(current: current), "\(counts[entry.id] ?? 0)",
          "\(servers(entry).count) of \(holders.count)", places[entry.id] ?? "not here",
        ]
      }
    }
  }

  /// The first key of a database is as old as it.
  private static func time(_ date: Date?) -> JSONValue {
    guard let date, date.timeIntervalSince1970 > 0 else { return .null }
    return .string(date.formatted(.iso8601))
  }
}
