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
  private let policies: PolicyFolder?
  private let logger: Logger
  private let current: Locked<(snapshot: Snapshot, byKey: [String: String])>

  /// One change at a time, so that none undoes another.
  private let turn = AsyncMutex()

  private let registry: NodeRegistry
  private let clock: @Sendable () -> Date

  /// How long a run can be under way, a suspension in its middle included. Seconds.
  private let longestRun: TimeInterval

  /// What the folder of journeys looked like when it was loaded, and when it was last looked at.
  private let seen: Locked<(loaded: [String], latest: [String])>

  /// - Parameters:
  ///   - snapshot: what was loaded at start.
  ///   - fingerprint: of the folder of journeys, taken before it was loaded.
  ///   - policies: those beside the journeys, which are loaded again with them.
  init(
    _ snapshot: Snapshot, store: any RealmStore, registry: NodeRegistry = NodeRegistry([:]),
    fingerprint: [String] = [], policies: PolicyFolder? = nil, configuration: ServerConfiguration
  ) {
    self.policies = policies
    self.registry = registry
    clock = configuration.clock
    longestRun = 2 * configuration.journeyTimeout + configuration.suspendedJourneyTimeout
    seen = Locked((fingerprint, fingerprint))
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
  func refresh() async throws { try await turn.withLock { try await look() } }

  private func look() async throws {
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

  /// Loads all journeys again if a file of the operator's folder has changed and does not change any more: at once for all, or not at
  /// all. Runs under way finish on the journeys that they began with.
  func reloadIfChanged() async throws {
    guard let directory else { return }
    let fingerprint = JourneyFolder.fingerprint(of: directory)
    let isDue = seen.withLock { seen in
      defer { seen.latest = fingerprint }
      return fingerprint != seen.loaded && fingerprint == seen.latest
    }
    guard isDue else { return }
    await turn.withLock { reload(directory) }
    seen.withLock { $0.loaded = fingerprint }
  }

  /// Loads all journeys again, whether the folder looks changed or not.
  func reloadNow() async {
    guard let directory else { return }
    let fingerprint = JourneyFolder.fingerprint(of: directory)
    await turn.withLock { reload(directory) }
    seen.withLock { $0 = (fingerprint, fingerprint) }
  }

  private func reload(_ directory: URL) {
    let before = snapshot
    var journeys = JourneyLoading(
      adding: before.names, to: JourneyCatalog(registry: registry), keeping: before.catalog, logger: logger)
    journeys.loadBundled(bundled, isPublic: isPublic)
    do { try journeys.load(directory: directory, isStrict: false) } catch {
      logger.error(
        "the journeys stay as they were, because their folder cannot be read", metadata: ["cause": "\(error)"]
      )
      return
    }
    journeys.logWarnings()
    policies?.reload()
    let now = clock()
    let catalog = journeys.catalog.succeeding(
      before.catalog, now: now, until: now.addingTimeInterval(longestRun))
    current.withLock { $0.snapshot.catalog = catalog }
    logger.notice("the journeys were loaded again", metadata: ["folder": "\(directory.path)"])
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
