package import Foundation

/// Rotates the server key of a database while servers keep running.
///
/// It has two phases. First the new key is announced: servers that have it accept what others encrypt under it. When all running servers
/// have it, it is used; secrets under the earlier key are encrypted again, in batches, and then the earlier key is retired. Each step is
/// one conditional write, so a rotation can be stopped anywhere and resumed.
package struct ServerKeyRotation: Sendable {
  private let store: any ServerStore
  private let clock: @Sendable () -> Date

  /// A server that has been silent for this long is taken for stopped. Seconds.
  package static let absence = 30.0

  /// The secrets that are made anew with each key.
  package enum Secret {
    /// Seals the state of journeys (`authId`).
    package static let journeys = "journey sealing"

    /// Authenticates the cookie of known devices.
    package static let knownDevices = "known devices"

    /// Signs and encrypts persistent cookies.
    package static let persistentCookies = "persistent cookies"

    /// Seals what OpenID Connect clients and browsers carry: codes, tokens, requests under way.
    package static let openIDTickets = "openid sealing"

    package static let all = [journeys, knownDevices, persistentCookies, openIDTickets]
  }

  package init(_ store: any ServerStore, clock: @escaping @Sendable () -> Date = { Date() }) {
    self.store = store
    self.clock = clock
  }

  /// Why a step was not taken.
  package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    fileprivate init(_ description: String) { self.description = description }
  }

  /// The next key of a rotation: the announced one, or one that the operator has given and the database does not know.
  ///
  /// - Returns: `nil` when a key must be made.
  /// - Throws: ``Refusal`` when the announced key is not here, or there are several candidates.
  package func candidate() async throws -> String? {
    let entries = try await store.refreshKeys()
    let key = store.serverKey
    if let announced = entries.first(where: { $0.activatedAt == nil && !$0.isRetired }) {
      guard key.has(announced.id) else {
        throw Refusal(
          "the key \(announced.id) is announced, and is not here; name its place, or withdraw it: sealring key retire \(announced.id)"
        )
      }
      return announced.id
    }
    let unknown = key.loaded.filter { loaded in !entries.contains { $0.id == loaded.id } }
    guard unknown.count < 2 else {
      throw Refusal(
        "the database knows none of these keys: "
          + unknown.map { "\($0.id) (\($0.place))" }.joined(separator: ", ") + "; leave one")
    }
    return unknown.first?.id
  }

  /// The first phase: all servers that have the key accept it. Does nothing once the key is announced.
  package func announce(_ id: String) async throws {
    let entries = try await store.refreshKeys()
    if let known = entries[id: id] {
      guard known.isRetired else { return }
      throw Refusal("the key \(id) was retired; a rotation needs a new one")
    }
    guard store.serverKey.has(id) else { throw Refusal("the key \(id) is not here") }
    // Changes nothing while another key is announced; of two keys at once, one is announced.
    let isAnnounced = try await change(
      id,
      """
      INSERT INTO server_keys (id, generation, announced_at)
      SELECT ?1, (SELECT max(generation) + 1 FROM server_keys), ?2
        WHERE NOT EXISTS (SELECT 1 FROM server_keys WHERE activated_at IS NULL)
      ON CONFLICT DO NOTHING
      """)
    guard isAnnounced else {
      throw Refusal("another key was announced meanwhile; see sealring key list")
    }
  }

  /// - Parameter sql: ?1 the key, ?2 now.
  /// - Returns: whether the key is changed.
  private func change(_ id: String, _ sql: SQL) async throws -> Bool {
    let isChanged = try await store.change("the server key \(id)", SQLStatement(sql, [id, clock()]).isDone)
    try await store.refreshKeys()
    return isChanged
  }

  /// The servers that run and do not have the key.
  package func lacking(_ id: String) async throws -> [ServerKeyHolder] {
    try await store.keyHolders(within: Self.absence).filter { !$0.keys.contains(id) }
  }

  /// The second phase: the key is used from now on.
  ///
  /// - Throws: ``Refusal`` while a server that runs does not have it.
  package func activate(_ id: String) async throws {
    let entries = try await store.refreshKeys()
    guard let entry = entries[id: id] else {
      throw Refusal("the key \(id) is not announced")
    }
    if entry.activatedAt != nil, id == store.serverKey.currentID { return }
    let lacking = try await lacking(id)
    guard lacking.isEmpty else {
      throw Refusal(
        "the key \(id) is not used yet: these servers do not have it: "
          + lacking.map(\.server).joined(separator: ", "))
    }
    let isActivated = try await change(
      id,
      "UPDATE server_keys SET activated_at = ?2 WHERE id = ?1 AND activated_at IS NULL AND retired_at IS NULL"
    )
    guard isActivated || store.serverKey.currentID == id else {
      throw Refusal("the key \(id) is no longer announced; see sealring key list")
    }
  }

  /// The servers that run and still encrypt under another key than the one in use. Servers look for changes every two seconds.
  package func trailing() async throws -> [ServerKeyHolder] {
    let current = store.serverKey.currentID
    return try await store.keyHolders(within: Self.absence).filter { $0.current != current }
  }

  /// Retires a key: nothing that it has encrypted or sealed is accepted any more.
  ///
  /// What was made by secrets of its generation (`authId`, cookies) is accepted until it expires.
  ///
  /// - Parameter isStolen: whether that is refused, too: journeys that began under the key end.
  /// - Throws: ``Refusal`` for the key in use, and while something needs the key.
  package func retire(_ id: String, isStolen: Bool) async throws {
    let entries = try await store.refreshKeys()
    guard let entry = entries[id: id] else {
      throw Refusal("the database does not know the key \(id); see sealring key list")
    }
    guard entry.activatedAt != nil else {
      guard try await withdraw(entry) else { throw Refusal("the key \(id) was put to use meanwhile") }
      return
    }
    guard id != store.serverKey.currentID else {
      throw Refusal("the key \(id) is in use; rotate it first: sealring key rotate")
    }
    if !entry.isRetired {
      let trailing = try await trailing()
      guard trailing.isEmpty else {
        throw Refusal(
          "these servers do not use the new key yet: "
            + trailing.map(\.server).joined(separator: ", "))
      }
      // A check before the ledger is locked: whether the retirement can succeed.
      let rest = try await store.sealedCounts()[id] ?? 0
      guard rest == 0 else {
        throw Refusal("\(rest) secrets are still encrypted under \(id); run sealring key reencrypt")
      }
    }
    guard let isEnded = try await end(entry, isStolen: isStolen) else {
      throw Refusal("something was encrypted under \(id) meanwhile; run sealring key reencrypt")
    }
    guard isEnded else {
      throw Refusal("the key \(id) could not be retired; see sealring key list")
    }
  }

  /// Retires a key that was in use. One transaction, during which nothing else is sealed, seals the ledger's end under the key in use and
  /// retires this key, which is never the one in use. From then on nothing is stored that this key has sealed.
  ///
  /// - Returns: whether it is retired; `nil`, with nothing changed, when something is still encrypted under it.
  private func end(_ entry: ServerKeyEntry, isStolen: Bool) async throws -> Bool? {
    let now = clock()
    let retirement = SQLStatement(
      """
      UPDATE server_keys SET retired_at = coalesce(retired_at, ?2), revoked_at = coalesce(revoked_at, ?3)
      WHERE id = ?1 AND activated_at IS NOT NULL
        AND generation < (SELECT max(generation) FROM server_keys WHERE activated_at IS NOT NULL)
      """, [entry.id, now, isStolen ? now : nil])
    let forgetting =
      isStolen
      ? forgetSecrets(
        of: entry, "EXISTS (SELECT 1 FROM server_keys WHERE id = ? AND revoked_at IS NOT NULL)") : []
    let changed = try await store.changeAlone(
      "the server key \(entry.id)", unless: entry.isRetired ? [] : store.sealedCounts(of: entry),
      sealsLedger: !entry.isRetired, [retirement] + forgetting)
    try await store.refreshKeys()
    return changed.map { $0.first == 1 }
  }

  /// Withdraws a key that is only announced, with the secrets that were made for it.
  ///
  /// - Returns: `false`, with nothing changed, when it was put to use meanwhile.
  func withdraw(_ entry: ServerKeyEntry) async throws -> Bool {
    let withdrawal = SQLStatement(
      "DELETE FROM server_keys WHERE id = ? AND activated_at IS NULL", [entry.id])
    let changed = try await store.changeAlone(
      "the server key \(entry.id)", unless: [], sealsLedger: false,
      [withdrawal] + forgetSecrets(of: entry, "NOT EXISTS (SELECT 1 FROM server_keys WHERE id = ?)"))
    try await store.refreshKeys()
    return changed?.first == 1
  }

  /// - Parameter condition: what must be true of the key after the change in the same transaction.
  private func forgetSecrets(of entry: ServerKeyEntry, _ condition: String) -> [SQLStatement] {
    Secret.all.map { name in
      SQLStatement(
        "DELETE FROM server_secrets WHERE name = ? AND \(condition)",
        [entry.name(ofSecret: name), entry.id])
    }
  }
}

extension ServerKey {
  /// Makes a key in the data folder, for a rotation.
  ///
  /// - Returns: its id.
  package func makeNext(in folder: StoreDirectory, randomBytes: (Int) -> [UInt8]) throws -> String {
    let key = try FolderKeySource(folder: folder).createNext(randomBytes)
    add(key)
    return key.id
  }

  /// Adds the keys of a source for a rotation; makes one in it when there is none.
  package func add(from source: any ServerKeySource, randomBytes: (Int) -> [UInt8]) throws {
    let keys = try source.keys()
    for key in keys.isEmpty ? [try source.create(randomBytes)] : keys { add(key) }
  }
}
