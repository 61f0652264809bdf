/// The keys that a server has, and what its database says of them.
struct ServerKeyRing: Sendable {
  var loaded: [LoadedServerKey]
  private(set) var entries: [ServerKeyEntry] = []

  /// When the database was last asked for them; `nil` when it never was.
  private var askedAt: ContinuousClock.Instant?

  /// Whether something was met since then that none of the known keys explains.
  private(set) var isInDoubt = false

  init(loaded: [LoadedServerKey]) { self.loaded = loaded }

  /// The entry of the key in use.
  var currentEntry: ServerKeyEntry? { entries.last { $0.activatedAt != nil } }

  /// Where keys were found, for people.
  var places: String {
    let places = loaded.map(\.place)
    return places.isEmpty ? "no key" : places.joined(separator: ", ")
  }

  /// Whether a key is in use, or will be, that is not here.
  var lacksKey: Bool {
    entries.contains { entry in !entry.isRetired && !loaded.contains { $0.id == entry.id } }
  }

  /// The keys whose work counts, the one in use first.
  var accepted: [LoadedServerKey] {
    guard !entries.isEmpty else { return loaded }
    return entries.reversed().filter { !$0.isRetired }.compactMap { entry in
      loaded.first { $0.id == entry.id }
    }
  }

  /// Takes over what the database says, as far as it goes on from what is known: no earlier key comes back into use, and a key that was
  /// retired or revoked stays so. Otherwise whoever has an old key, and can write to the database, could make it count again.
  ///
  /// - Parameter instant: when the database was asked, not when it answered: this process may have stood still between.
  mutating func take(_ new: [ServerKeyEntry], askedAt instant: ContinuousClock.Instant) {
    askedAt = instant
    isInDoubt = false
    let kept = entries.filter { known in known.isRetired && !new.contains { $0.id == known.id } }
    var sorted = (new + kept).sorted { $0.generation < $1.generation }
    for index in sorted.indices {
      guard let known = entries.first(where: { $0.id == sorted[index].id }) else { continue }
      sorted[index].retiredAt = sorted[index].retiredAt ?? known.retiredAt
      sorted[index].isRevoked = sorted[index].isRevoked || known.isRevoked
    }
    let generation = sorted.last { $0.activatedAt != nil }?.generation
    if let known = currentEntry?.generation, (generation ?? -1) < known { return }
    entries = sorted
  }

  /// Whether what is known of the keys is recent enough to seal by it (``ServerKeyLease``).
  func isRecent(at now: ContinuousClock.Instant) -> Bool {
    askedAt.map { $0.duration(to: now) < ServerKeyLease.length } ?? true
  }

  /// The same as ``current()``, for sealing.
  ///
  /// - Throws: ``OutdatedKey`` when what is known of the keys is too old.
  func currentForSealing(at now: ContinuousClock.Instant) throws -> (key: LoadedServerKey, isFirst: Bool) {
    try requireRecent(at: now)
    return try current()
  }

  func requireRecent(at now: ContinuousClock.Instant) throws {
    guard isRecent(at: now) else {
      throw OutdatedKey("the database was not asked for its server keys for \(ServerKeyLease.length)")
    }
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
    guard let key = loaded.first(where: { $0.id == id }) else { throw missing(id, subject: "the database") }
    return (key, (entries.first { $0.id == id }?.generation ?? 0) == 0)
  }

  /// Notes that a seal is not of a key that counts.
  mutating func doubt() { isInDoubt = true }

  /// The keys that may have encrypted `sealed`.
  func keys(for sealed: [UInt8], subject: String) throws -> [LoadedServerKey] {
    guard let id = LoadedServerKey.id(before: sealed) else {
      guard let first = entries.first(where: { $0.generation == 0 }) else { return accepted }
      guard !first.isRetired else { throw retired(first.id, subject: subject) }
      guard let key = loaded.first(where: { $0.id == first.id }) else {
        throw missing(first.id, subject: subject)
      }
      return [key]
    }
    let entry = entries.first { $0.id == id }
    if entry?.isRetired == true { throw retired(id, subject: subject) }
    // A key that the database does not know has encrypted nothing of it.
    guard entry != nil || entries.isEmpty else { throw missing(id, subject: subject) }
    guard let key = loaded.first(where: { $0.id == id }) else { throw missing(id, subject: subject) }
    return [key]
  }

  private func retired(_ id: String, subject: String) -> StoreError {
    .corrupt("\(subject): encrypted under the server key \(id), which was retired")
  }

  private func missing(_ id: String, subject: String) -> StoreError {
    .unavailable(
      "\(subject): encrypted under the server key \(id), which this server does not have (it has \(places)); give it that key"
    )
  }
}
