/// The keys that a server has, and what its database says of them.
struct ServerKeyRing: Sendable {
  private(set) var loaded: [LoadedServerKey]
  private(set) var entries: [ServerKeyEntry] = []

  /// When the database was last asked for them; `nil` when it never was.
  private var askedAt: ContinuousClock.Instant?

  /// Whether something was found since then that no known key explains.
  var isInDoubt = false

  init(loaded: [LoadedServerKey]) { self.loaded = loaded }

  /// Adds the keys that are not here yet.
  mutating func add(_ keys: [LoadedServerKey]) {
    for key in keys where loaded[id: key.id] == nil { loaded.append(key) }
  }

  var currentEntry: ServerKeyEntry? { entries.last { $0.activatedAt != nil } }

  /// Where keys were found, for people.
  var places: String {
    let places = loaded.map(\.place)
    return places.isEmpty ? "no key" : places.joined(separator: ", ")
  }

  /// Whether a key that is not retired is missing here.
  var lacksKey: Bool {
    entries.contains { !$0.isRetired && loaded[id: $0.id] == nil }
  }

  /// The keys that are not retired, the newest first.
  var accepted: [LoadedServerKey] {
    guard !entries.isEmpty else { return loaded }
    return entries.reversed().filter { !$0.isRetired }.compactMap { loaded[id: $0.id] }
  }

  /// Takes over the database's entries, as far as they continue what is known: no earlier key comes back into use, and a retired or revoked
  /// key stays so. Otherwise somebody with an old key and write access to the database could make that key count again.
  ///
  /// - Parameter instant: when the database was asked, not when it answered: this process may have stood still between.
  mutating func take(_ new: [ServerKeyEntry], askedAt instant: ContinuousClock.Instant) {
    askedAt = instant
    isInDoubt = false
    let kept = entries.filter { known in known.isRetired && new[id: known.id] == nil }
    var sorted = (new + kept).sorted { $0.generation < $1.generation }
    for index in sorted.indices {
      guard let known = entries[id: sorted[index].id] else { continue }
      sorted[index].retiredAt = sorted[index].retiredAt ?? known.retiredAt
      sorted[index].isRevoked = sorted[index].isRevoked || known.isRevoked
    }
    let generation = sorted.last { $0.activatedAt != nil }?.generation
    if let known = currentEntry?.generation, (generation ?? -1) < known { return }
    entries = sorted
  }

  /// Whether what is known of the keys is recent enough to seal by it (``ServerKeyLease``).
  var isRecent: Bool { askedAt.map { $0.duration(to: .now) < ServerKeyLease.length } ?? true }

  /// The key `id`, or ``current()``, for sealing.
  ///
  /// - Throws: ``OutdatedKey`` when what is known of the keys is too old.
  func keyForSealing(_ id: String? = nil) throws -> (key: LoadedServerKey, isFirst: Bool) {
    guard isRecent else {
      throw OutdatedKey("the database was not asked for its server keys for \(ServerKeyLease.length)")
    }
    return try id.map(key) ?? current()
  }

  /// The key in use, and whether it is the first one of its database.
  func current() throws -> (key: LoadedServerKey, isFirst: Bool) {
    guard let entry = currentEntry else {
      // Nothing is known of the database yet.
      guard let key = loaded.first else { throw StoreError.unavailable("there is no server key") }
      return (key, true)
    }
    return try key(entry.id)
  }

  func key(_ id: String) throws -> (key: LoadedServerKey, isFirst: Bool) {
    guard let key = loaded[id: id] else { throw missing(id, subject: "the database") }
    return (key, (entries[id: id]?.generation ?? 0) == 0)
  }

  /// The keys that may have encrypted `sealed`.
  func keys(for sealed: [UInt8], subject: String) throws -> [LoadedServerKey] {
    let marked = LoadedServerKey.id(before: sealed)
    guard let id = marked ?? entries.first(where: { $0.generation == 0 })?.id else { return accepted }
    let entry = entries[id: id]
    if entry?.isRetired == true {
      throw StoreError.corrupt("\(subject): encrypted under the server key \(id), which was retired")
    }
    // A key that the database does not know has encrypted none of its secrets.
    guard entry != nil || entries.isEmpty, let key = loaded[id: id] else {
      throw missing(id, subject: subject)
    }
    return [key]
  }

  private func missing(_ id: String, subject: String) -> StoreError {
    .unavailable(
      "\(subject): encrypted under the server key \(id), which this server does not have (it has \(places)); give it that key"
    )
  }
}

extension Array where Element: Identifiable {
  /// The element that has the id.
  subscript(id id: Element.ID) -> Element? { first { $0.id == id } }
}
