internal import Concurrency
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import Logging

/// The current realms and their journeys, for all requests of this server.
///
/// Requests read one value, which ``refresh()`` replaces: at once after a change by this server, and within a second after
/// another server's.
final class RealmDirectory: Sendable {
  /// Realms and journeys of one moment.
  struct Snapshot: Sendable {
    /// Of the stored realms.
    var version: Int64

    /// The configured realms, then the created ones by name.
    var names: [String]

    var catalog: JourneyCatalog

    /// Names by their lower-case form.
    var byKey: [String: String] {
      Dictionary(names.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Realms that a configuration names: they cannot be deleted.
  let configured: [String]

  private let store: any RealmStore
  private let bundled: BundledJourneys
  private let isPublic: Bool
  private let directory: URL?
  private let logger: Logger
  private let current: Locked<(snapshot: Snapshot, byKey: [String: String])>

  /// - Parameter snapshot: what was loaded at start.
  init(_ snapshot: Snapshot, store: any RealmStore, configuration: ServerConfiguration) {
    configured = configuration.realms
    self.store = store
    bundled = configuration.bundledJourneys
    isPublic = StartupAdvice.isPublic(configuration)
    directory = configuration.journeysDirectory
    logger = configuration.logger
    current = Locked((snapshot, snapshot.byKey))
  }

  var snapshot: Snapshot { current.withLock { $0.snapshot } }
  var names: [String] { snapshot.names }
  var catalog: JourneyCatalog { snapshot.catalog }

  /// The realm's name as it was given; `nil` when there is none.
  func realm(key: String) -> String? { current.withLock { $0.byKey[key] } }

  /// The realm's name for a path (`/`, `/alpha`) or a name in any case (`alpha`); `nil` when there is none.
  func realm(_ name: String) -> String? {
    let given = name.hasPrefix("/") ? String(name.dropFirst()) : name
    return realm(key: given.isEmpty ? "root" : given.lowercased())
  }

  /// The configured realms with those of the store.
  static func names(configured: [String], stored: [String]) -> [String] {
    let known = Set(configured.map { $0.lowercased() })
    return configured + stored.filter { !known.contains($0.lowercased()) }
  }

  /// Loads the store's realms, if they have changed.
  func refresh() async throws {
    let before = snapshot
    guard try await store.realmsVersion() != before.version else { return }
    let list = try await store.realms()
    let names = Self.names(configured: configured, stored: list.names)
    var catalog = before.catalog
    for realm in Set(before.names).subtracting(names) { catalog.remove(realm: realm) }
    let added = names.filter { !before.names.contains($0) }
    let next = Snapshot(version: list.version, names: names, catalog: load(added, into: catalog))
    current.withLock { current in
      // Another refresh may have been faster, with a newer version.
      guard next.version > current.snapshot.version else { return }
      current = (next, next.byKey)
    }
    logger.notice("the realms have changed", metadata: ["realms": "\(names.joined(separator: ", "))"])
  }

  private func load(_ realms: [String], into catalog: JourneyCatalog) -> JourneyCatalog {
    guard !realms.isEmpty else { return catalog }
    var journeys = JourneyLoading(adding: realms, to: catalog, logger: logger)
    journeys.loadBundled(bundled, isPublic: isPublic)
    guard let directory else { return journeys.catalog }
    do {
      try journeys.loadFolders(in: directory)
      return journeys.catalog
    } catch {
      // Bundled journeys may ask for less than those that cannot be read, so there are none.
      logger.error(
        "the realms have no journeys, because their folders cannot be read",
        metadata: ["realms": "\(realms.joined(separator: ", "))", "cause": "\(error)"])
      return catalog
    }
  }
}
