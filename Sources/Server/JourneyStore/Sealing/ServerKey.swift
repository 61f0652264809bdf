internal import Bytes
internal import Concurrency
internal import Crypto

/// The server key. Secrets are encrypted under it before they are stored, so that a copy of the database alone reveals none of them.
///
/// It is one key of 256 bits, or several during a rotation: the database says which one is in use (``ServerKeyEntry``), and secrets under
/// earlier ones are read until these are retired. Copies of a value share what is known of the keys.
package struct ServerKey: Sendable, Redacted {
  package static let length = 32

  private let ring: Locked<ServerKeyRing>

  /// Empty for keys that were given as bytes.
  private let sources: [any ServerKeySource]

  init(_ keys: [LoadedServerKey], from sources: [any ServerKeySource] = []) {
    ring = Locked(ServerKeyRing(loaded: keys))
    self.sources = sources
  }

  /// - Parameter bytes: 32 bytes.
  package init(bytes: [UInt8], place: String) {
    self.init([LoadedServerKey(bytes: bytes, place: place)])
  }

  /// Reads the keys of a data folder, or of `places` instead of it; `nil` when there are none.
  package init?(existingIn folder: StoreDirectory, orIn places: [any ServerKeySource] = []) throws {
    let sources = folder.keySources(places)
    let keys = try sources.flatMap { try $0.keys() }
    guard !keys.isEmpty else { return nil }
    self.init(keys, from: sources)
  }

  /// Reads the keys of `sources`, or makes the first one.
  ///
  /// - Parameter mayCreate: Whether nothing has been encrypted yet. If something has, a new key would only hide that
  ///   the old one is lost.
  package init(_ sources: [any ServerKeySource], mayCreate: Bool, randomBytes: (Int) -> [UInt8]) throws {
    var keys = try sources.flatMap { try $0.keys() }
    if keys.isEmpty {
      guard mayCreate, let first = sources.first else {
        throw StoreError.unavailable(
          "\(sources.map(\.place).joined(separator: ", ")) is missing, and the database holds secrets encrypted under it; "
            + "name the server's folder with --data, or restore it from a backup")
      }
      keys = [try first.create(randomBytes)]
    }
    self.init(keys, from: sources)
  }

  // MARK: Encryption

  /// Encrypts with AES-256-GCM. `name` is authenticated, so that stored secrets cannot be exchanged for one another.
  ///
  /// The result is nonce, ciphertext and tag; once the key has been rotated, the id of the key stands before them
  /// (``LoadedServerKey/prefix``).
  ///
  /// - Parameter id: the key, be it in use or only announced; `nil` is the one in use.
  /// - Throws: ``StoreError/unavailable(_:)`` when this server does not have the key; ``OutdatedKey`` when what is known of the keys is
  ///   older than ``ServerKeyLease``.
  package func seal(_ secret: [UInt8], named name: String, under id: String? = nil) throws -> [UInt8] {
    let (key, isFirst) = try ring.withLock { try $0.keyForSealing(id) }
    return try key.seal(secret, named: name, prefixed: !isFirst)
  }

  /// Decrypts what ``seal(_:named:under:)`` has encrypted under any of the keys that are not retired.
  ///
  /// - Parameter table: where the secret is stored, for the operator.
  /// - Throws: ``StoreError/unavailable(_:)`` when the secret is encrypted under a key that this server does not have,
  ///   ``StoreError/corrupt(_:)`` when it cannot be decrypted.
  package func open(_ sealed: [UInt8], named name: String, in table: String) throws -> [UInt8] {
    let (keys, places) = try ring.withLock { ring in
      do { return (try ring.keys(for: sealed, subject: "table \(table), \(name)"), ring.places) } catch {
        ring.isInDoubt = true
        throw error
      }
    }
    for key in keys {
      if let secret = key.open(sealed, named: name) { return secret }
    }
    throw StoreError.corrupt(
      "table \(table), \(name): cannot be decrypted with \(keys.count == 1 ? keys[0].place : places); "
        + "the key belongs to another database, or the row was changed")
  }

  // MARK: Authentication

  /// A MAC, and the id of the server key that it is made with.
  package struct Code: Sendable, Hashable {
    package let bytes: [UInt8]
    package let key: String
  }

  /// A MAC (HMAC-SHA256) over `bytes` under a key for `purpose`, derived from the key in use (HKDF, RFC 5869).
  ///
  /// - Throws: as ``seal(_:named:under:)``.
  package func authenticationCode(for bytes: [UInt8], purpose: String) throws -> Code {
    let key = try ring.withLock { try $0.keyForSealing().key }
    return Code(bytes: key.authenticationCode(for: bytes, purpose: purpose), key: key.id)
  }

  /// Whether `code` was made with the key `id`; `nil` when this server does not have that key. Compares in constant time.
  func isValid(_ code: [UInt8], for bytes: [UInt8], purpose: String, under id: String) -> Bool? {
    loaded[id: id].map { key in
      ConstantTime.areEqual(code, key.authenticationCode(for: bytes, purpose: purpose))
    }
  }

  /// Whether ``authenticationCode(for:purpose:)`` gave `code` under one of the keys that are not retired. Compares in constant
  /// time.
  package func isValid(_ code: [UInt8], for bytes: [UInt8], purpose: String) -> Bool {
    let isValid = ring.withLock { $0.accepted }.contains { key in
      ConstantTime.areEqual(code, key.authenticationCode(for: bytes, purpose: purpose))
    }
    if !isValid { ring.withLock { $0.isInDoubt = true } }
    return isValid
  }

  /// A key for `purpose` that is derived from the key in use.
  func derived(for purpose: String) throws -> SymmetricKey {
    try ring.withLock { try $0.current().key }.derived(for: purpose)
  }

  /// - Throws: ``StoreError/unavailable(_:)`` when the key in use is not here.
  func requireKeyInUse() throws { _ = try ring.withLock { try $0.current() } }

  // MARK: Rotation

  /// The database's entries on its keys, the first key first; empty when nothing is known of the database.
  package var entries: [ServerKeyEntry] { ring.withLock { $0.entries } }

  /// The keys that this server has.
  package var loaded: [LoadedServerKey] { ring.withLock(\.loaded) }

  /// The id of the key that new secrets are encrypted under, if the database has said so.
  package var currentID: String? { ring.withLock { $0.currentEntry?.id } }

  /// Whether the database was asked for its keys recently enough to seal by its answer.
  package var isRecent: Bool { ring.withLock { $0.isRecent } }

  /// Whether something was found since then that no known key explains: there may be another key by now.
  private var isInDoubt: Bool { ring.withLock { $0.isInDoubt } }

  /// The error to throw in a part of a write that can still be undone: ``OutdatedKey`` in place of a ``StoreError`` that may be due to
  /// outdated keys.
  package func judged(_ error: any Error) -> any Error {
    guard isInDoubt, let error = error as? StoreError else { return error }
    return OutdatedKey("\(error)", otherwise: error)
  }

  package func has(_ id: String) -> Bool { loaded[id: id] != nil }

  /// Takes over the database's entries on its keys. When they name a key that is not here, files are read again, because an operator may
  /// have added it.
  ///
  /// Entries whose key in use is older than before are ignored: somebody has put back an older state of the database.
  ///
  /// - Parameter instant: when the database was asked.
  package func take(_ entries: [ServerKeyEntry], askedAt instant: ContinuousClock.Instant) throws {
    let isMissing = ring.withLock { ring in
      ring.take(entries, askedAt: instant)
      return ring.lacksKey
    }
    if isMissing { try reload() }
  }

  /// Reads again the sources that may have changed since the start.
  package func reload() throws {
    let again = try sources.filter(\.mayChange).flatMap { try $0.keys() }
    ring.withLock { $0.add(again) }
  }

  /// Adds a key that was made or named for a rotation.
  package func add(_ key: LoadedServerKey) { ring.withLock { $0.add([key]) } }

  /// Refuses a database whose key in use is not here.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` naming where keys were looked for.
  package func requireCurrent() throws {
    let (entry, places, isHere) = ring.withLock { ring in
      (ring.currentEntry, ring.places, (try? ring.current()) != nil)
    }
    guard let entry, !isHere else { return }
    throw StoreError.corrupt(
      "the secrets of this database cannot be decrypted with \(places): they are encrypted under the server key \(entry.id), "
        + "which is not there; the key belongs to another database, or the key was rotated and this server needs the new one"
    )
  }

  /// The id of the key that decrypts `sealed`; `nil` when none does.
  package func id(opening sealed: [UInt8], named name: String) -> String? {
    loaded.first { $0.open(sealed, named: name) != nil }?.id
  }

  package var description: String { "server key of \(ring.withLock { $0.places })" }
}
