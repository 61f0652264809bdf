internal import Bytes
internal import Concurrency
package import Foundation
package import JourneyEngine
package import JourneyGraphs
package import JourneyStore
package import Logging
internal import PrivateFiles

/// The current realms and their journeys, for all requests of this server.
///
/// Requests read one value, which ``refresh()`` replaces: at once after a change by this server, and within a second after
/// another server's.
package final class RealmDirectory: Sendable {
  /// Realms and journeys of one moment.
  package struct Snapshot: Sendable {
    /// The version of the stored realms.
    package var version: Int64

    /// The configured realms, then the created ones by name.
    package var names: [String]

    /// When the created ones were created.
    var created: [String: Date]

    package var catalog: JourneyCatalog

    package init(
      version: Int64, names: [String], created: [String: Date] = [:], catalog: JourneyCatalog
    ) {
      (self.version, self.names, self.created, self.catalog) = (version, names, created, catalog)
    }

    /// The realm for people who name none, where a page can choose: the only one beside the root realm, which is for administrators. `nil`
    /// when there are several or none.
    package var forPeople: String? {
      let others = names.filter { $0 != "root" }
      return others.count == 1 ? others[0] : nil
    }

    /// Names by their lower-case form.
    var byKey: [String: String] {
      Dictionary(names.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  private let sources: Sources
  private let store: any ServerStore
  private let policies: PolicyFolder?
  private let logger: Logger
  private let current: Locked<(snapshot: Snapshot, byKey: [String: String])>

  /// One change at a time, so that none undoes another.
  private let turn = AsyncMutex()

  private let registry: NodeRegistry
  private let clock: @Sendable () -> Date

  /// What the folder of journeys looked like when it was loaded, and when it was last looked at.
  private let seen: Locked<(loaded: [String], latest: [String])>

  /// Where realms and journeys come from.
  package struct Sources: Sendable {
    /// Realms that the operator names.
    package var realms: [String]
    package var bundled: BundledJourneys

    /// Whether other machines reach the server's address.
    package var isPublic: Bool

    /// The operator's own journeys.
    package var directory: URL?

    /// How long a run can be under way, a suspension in its middle included. Seconds.
    package var longestRun: TimeInterval

    package init(
      realms: [String], bundled: BundledJourneys, isPublic: Bool, directory: URL? = nil,
      longestRun: TimeInterval
    ) {
      self.realms = realms
      self.bundled = bundled
      self.isPublic = isPublic
      self.directory = directory
      self.longestRun = longestRun
    }
  }

  /// - Parameters:
  ///   - snapshot: what was loaded at start.
  ///   - fingerprint: of the folder of journeys, taken before it was loaded.
  ///   - policies: those beside the journeys, which are loaded again with them.
  package init(
    _ snapshot: Snapshot, from sources: Sources, store: any ServerStore,
    registry: NodeRegistry = NodeRegistry([:]), fingerprint: [String] = [], policies: PolicyFolder? = nil,
    clock: @escaping @Sendable () -> Date, logger: Logger
  ) {
    self.policies = policies
    self.registry = registry
    self.clock = clock
    self.sources = sources
    seen = Locked((fingerprint, fingerprint))
    self.store = store
    self.logger = logger
    current = Locked((snapshot, snapshot.byKey))
  }

  /// Realms that the operator names: they cannot be deleted.
  package var configured: [String] { sources.realms }

  package var snapshot: Snapshot { current.withLock { $0.snapshot } }
  package var names: [String] { snapshot.names }
  package var catalog: JourneyCatalog { snapshot.catalog }

  /// The realm's name in its original spelling, by its lower-case form; `nil` when there is no such realm.
  package func realm(key: String) -> String? { current.withLock { $0.byKey[key] } }

  /// The realm's name for a path (`/`, `/alpha`) or a name in any case (`alpha`); `nil` when there is none.
  package func realm(_ name: String) -> String? {
    let given = name.hasPrefix("/") ? String(name.dropFirst()) : name
    return realm(key: given.isEmpty ? "root" : given.lowercased())
  }

  /// The configured realms with those of the store.
  package static func names(configured: [String], stored: [String]) -> [String] {
    let known = Set(configured.map { $0.lowercased() })
    return configured + stored.filter { !known.contains($0.lowercased()) }
  }

  /// Loads the store's realms, if they have changed.
  package func refresh() async throws { try await turn.withLock { try await look() } }

  private func look() async throws {
    let before = snapshot
    guard try await store.realmsVersion() != before.version else { return }
    let list = try await store.realms()
    let names = Self.names(configured: configured, stored: list.names)
    var catalog = before.catalog
    // Also those that were deleted and created again since the last look.
    let gone = before.names.filter { !names.contains($0) || before.created[$0] != list.created[$0] }
    for realm in gone {
      catalog.remove(realm: realm)
      policies?.remove(realm: realm)
    }
    let added = names.filter { gone.contains($0) || !before.names.contains($0) }
    if !added.isEmpty { policies?.reload() }
    let next = Snapshot(
      version: list.version, names: names, created: list.created, catalog: load(added, into: catalog))
    current.withLock { current in
      // Another refresh may have been faster, with a newer version.
      guard next.version > current.snapshot.version else { return }
      current = (next, next.byKey)
    }
    logger.notice("the realms have changed", metadata: ["realms": "\(names.joined(separator: ", "))"])
  }

  /// Sets aside what a deleted realm has in the folder of journeys, in the hidden folder `.deleted`: its journeys, policies and waiting uploads.
  /// Its administrators may have written them, and another realm may get its name.
  package func setAside(_ realm: String) {
    guard let directory = sources.directory else { return }
    let aside = directory.appending(path: ".deleted")
    for (place, end) in [(directory, ""), (WaitingUploads.folder(in: directory), ".review")] {
      let folder = JourneyFolder.folder(of: realm, in: place)
      guard JourneyFolder.isDirectory(folder) else { continue }
      let name = "\(folder.lastPathComponent).\(clock().millisecondsSince1970)\(end)"
      do {
        try FileManager.default.createDirectory(at: aside, withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: folder, to: aside.appending(path: name))
      } catch {
        logger.error(
          "the folder of a deleted realm stays, so that a realm of this name would have its journeys: \(FileReason.of(error))",
          metadata: ["realm": "\(realm)", "folder": "\(folder.path)"])
      }
    }
  }

  /// Loads all journeys again if a file of the operator's folder has changed and does not change any more. Either all are loaded at once,
  /// or none. Runs under way finish on the journeys that they began with.
  ///
  /// - Returns: the journeys that this changed.
  @discardableResult
  package func reloadIfChanged() async throws -> [JourneyChange] {
    guard let directory = sources.directory else { return [] }
    let fingerprint = JourneyFolder.fingerprint(of: directory)
    let isDue = seen.withLock { seen in
      defer { seen.latest = fingerprint }
      return fingerprint != seen.loaded && fingerprint == seen.latest
    }
    guard isDue else { return [] }
    let changes = await turn.withLock { reload(directory) }
    seen.withLock { $0.loaded = fingerprint }
    return changes
  }

  /// Loads all journeys again, whether the folder looks changed or not.
  ///
  /// - Parameter realm: the only realm whose journeys and policies are loaded; `nil` for all.
  /// - Returns: the journeys that this changed.
  @discardableResult
  package func reloadNow(realm: String? = nil) async -> [JourneyChange] {
    guard let directory = sources.directory else { return [] }
    let fingerprint = JourneyFolder.fingerprint(of: directory)
    let changes = await turn.withLock { reload(directory, realm: realm) }
    // Files of other realms may have changed and are not loaded yet.
    if realm == nil { seen.withLock { $0 = (fingerprint, fingerprint) } }
    return changes
  }

  /// The changes that ``reloadNow(realm:)`` would make if `file` were in the folder of `realm`: other journeys of the realm may use its
  /// scripts, run its journeys inside, or have changed in the folder since they were loaded.
  ///
  /// - Throws: ``ServerSetupError`` when the folder cannot be read.
  package func preview(_ file: JourneyCatalog.File, realm: String) throws -> [JourneyChange] {
    guard let directory = sources.directory else { return [] }
    let next = try loaded(
      directory, realm: realm, with: file,
      logger: Logger(label: "preview") { _ in SwiftLogNoOpLogHandler() })
    return changes(to: (next.catalog, policies?.documentsOnDisk(realm: realm) ?? [:]), from: state)
  }

  /// All that is served now.
  private var state: JourneyChange.State { (catalog, policies?.documents ?? [:]) }

  private func changes(to after: JourneyChange.State, from before: JourneyChange.State) -> [JourneyChange] {
    names.flatMap { JourneyChange.all(from: before, to: after, realm: $0) }
  }

  /// The realm's journeys as they are served, with all that belongs to them, by name.
  package func contents(realm: String) -> [String: JourneyContents] {
    catalog.contents(realm: realm, policies: policies?.documents[realm] ?? [:])
  }

  /// The journeys of the folder and those that are bundled.
  ///
  /// - Parameter realm: the only realm whose journeys are loaded; the others' stay as they are.
  private func loaded(
    _ directory: URL, realm: String?, with upload: JourneyCatalog.File? = nil, logger: Logger
  ) throws -> JourneyLoading {
    let before = snapshot
    var catalog = JourneyCatalog(registry: registry)
    if let realm {
      catalog = before.catalog
      catalog.remove(realm: realm)
    }
    var journeys = JourneyLoading(
      adding: realm.map { [$0] } ?? before.names, to: catalog, keeping: before.catalog,
      with: upload.flatMap { file in realm.map { (file, $0) } }, logger: logger)
    journeys.loadBundled(sources.bundled, isPublic: sources.isPublic)
    if realm == nil {
      try journeys.load(directory: directory, isStrict: false)
    } else {
      try journeys.loadFolders(in: directory)
    }
    return journeys
  }

  private func reload(_ directory: URL, realm: String? = nil) -> [JourneyChange] {
    let (before, earlier) = (snapshot, state)
    let journeys: JourneyLoading
    do { journeys = try loaded(directory, realm: realm, logger: logger) } catch {
      logger.error(
        "the journeys stay as they were, because their folder cannot be read", metadata: ["cause": "\(error)"]
      )
      return []
    }
    journeys.logWarnings()
    policies?.reload(realm: realm)
    let now = clock()
    let catalog = journeys.catalog.succeeding(
      before.catalog, now: now, until: now.addingTimeInterval(sources.longestRun))
    current.withLock { $0.snapshot.catalog = catalog }
    logger.notice("the journeys were loaded again", metadata: ["folder": "\(directory.path)"])
    return changes(to: state, from: earlier)
  }

  private func load(_ realms: [String], into catalog: JourneyCatalog) -> JourneyCatalog {
    guard !realms.isEmpty else { return catalog }
    var journeys = JourneyLoading(adding: realms, to: catalog, logger: logger)
    journeys.loadBundled(sources.bundled, isPublic: sources.isPublic)
    guard let directory = sources.directory else { return journeys.catalog }
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
