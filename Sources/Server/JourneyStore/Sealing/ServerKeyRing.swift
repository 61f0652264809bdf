/// The keys that a server has, and what its database says of them.
struct ServerKeyRing: Sendable {
  var loaded: [LoadedServerKey]
  private(set) var entries: [ServerKeyEntry] = []

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
  mutating func take(_ new: [ServerKeyEntry]) {
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
