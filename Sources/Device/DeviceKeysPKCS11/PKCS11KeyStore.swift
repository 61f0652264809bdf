internal import Bytes
internal import Cryptoki
public import DeviceKeys
public import Foundation
internal import JOSE
internal import PrivateFiles

/// Keeps keys in a token that a PKCS#11 module reaches: a smart card, a security key's PIV, a secure element. Keys are made in the token
/// and, according to the token, never leave it. Nothing proves that to others: these keys are not attested.
///
/// The token's own PIN unlocks them, and the token counts wrong PINs. The store keeps a file of mode 0600 for each key, in a folder of mode
/// 0700 that may be the software store's. The file has the public key and identifies the token and the key in it. The module is code in
/// this process; see docs/pkcs11.md. Unexpected answers of a module or token throw ``DeviceKeyError/unsupported(_:)``, and so does a token
/// that is not there.
///
/// Deleting objects needs the PIN, and nobody is asked for it. A deleted key is forgotten at once, and its objects are removed from the
/// token when a key in that token is next unlocked.
public actor PKCS11KeyStore: DeviceKeyStore {
  public nonisolated let kind = KeyStoreKind.pkcs11
  private nonisolated let files: KeyFolder
  /// Files of objects that no key uses.
  private nonisolated let leftovers: KeyFolder
  /// Where new keys are made; `nil` when no module is named.
  private nonisolated let tokens: TokenModule?
  private let clock: @Sendable () -> Date

  /// The longest time that making a key takes, in seconds.
  private static let longestGeneration: TimeInterval = 600

  /// The store in `directory`, which is created when the first key is. The module is opened when it is first needed.
  ///
  /// - Parameters:
  ///   - module: The absolute path of the library of the token's maker. Only this user and the administrator may be able to change it and
  ///     its folders. Without a module no key is made; each existing key uses the module that made it.
  ///   - token: The label or serial number of the token for new keys; needed when the module finds several.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when `directory` is not a file URL.
  public init(
    directory: URL, module: String?, token: String? = nil, clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    guard directory.isFileURL else {
      throw DeviceKeyError.unsupported("Keys are kept in files, and \(directory) is not a file URL.")
    }
    let folder = directory.standardizedFileURL
    files = KeyFolder(folder, suffix: "p11key", limit: TokenKeyFile.maximumBytes)
    leftovers = KeyFolder(folder, suffix: "p11left", limit: TokenKeyFile.maximumBytes)
    tokens = module.map { TokenModule(path: $0, chosen: token) }
    self.clock = clock
  }

  /// Only a PIN: a token cannot be unlocked in another way.
  public nonisolated func supports(_ protection: KeyProtection) -> Bool { protection == .applicationPIN }

  /// Whether a token is there that can make keys. ``KeyStoreAvailability/absent(_:)`` only when no module is named: an app that names one
  /// has a token, and a key in software would be weaker than it asked for.
  public func availability() async -> KeyStoreAvailability {
    guard let tokens else { return .absent(Self.noModule) }
    do {
      try await tokens.run { module in _ = try tokens.token(module) }
      return .available
    } catch {
      return .unavailable(error.localizedDescription)
    }
  }

  private static let noModule = "No PKCS#11 module is named; tokens are reached only through one."

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    try KeyTag.check(tag)
    guard supports(protection), let pin = try protection.checked(unlock).pin else {
      throw DeviceKeyError.unsupported(
        "A token's keys are unlocked by its PIN only, not by \(protection.rawValue). Choose a PIN, or another key store."
      )
    }
    guard let tokens else { throw DeviceKeyError.unsupported(Self.noModule) }
    try reportingFiles { try files.create() }
    if try files.hasFile(of: tag) { throw DeviceKeyError.exists(tag: tag) }
    let now = clock()
    return try await tokens.run { [files, leftovers] module in
      let token = try tokens.token(module)
      return try TokenSession.use(token, of: module, pin: pin, tag: tag, writes: true) { session in
        self.removeLeftovers(in: session, now: now)
        let id = SystemRandom.bytes(16)
        // Written before anything is in the token: a crash leaves nothing there for good.
        let planned = TokenKeyFile(
          tag: tag, createdAt: now, token: token.identity, module: tokens.path, id: id,
          publicKey: [], notBefore: now + Self.longestGeneration)
        let plan = Self.leftoverTag(id)
        try leftovers.add(planned.serialized, for: plan)
        do {
          let publicKey = try session.generateKey(id: id, tag: tag)
          let file = TokenKeyFile(
            tag: tag, createdAt: now, token: token.identity, module: tokens.path, id: id,
            publicKey: publicKey, notBefore: now)
          try files.add(file.serialized, for: tag)
          try? reportingFiles { try ProtectedFiles.remove(leftovers.file(of: plan)) }
          return try Self.key(file, pin, tokens)
        } catch {
          // If the objects cannot be removed now, the plan's file remembers them.
          if (try? session.destroyObjects(id: id)) != nil {
            try? reportingFiles { try ProtectedFiles.remove(leftovers.file(of: plan)) }
          }
          throw error
        }
      }
    }
  }

  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    guard let file = try keyFile(of: tag) else { throw DeviceKeyError.notFound(tag: tag) }
    guard let pin = try KeyProtection.applicationPIN.checked(unlock).pin else {
      throw DeviceKeyError.unsupported("A token's keys are unlocked by its PIN only.")
    }
    let tokens = tokens(of: file)
    let key = try Self.key(file, pin, tokens)
    let now = clock()
    try await tokens.run { module in
      let token = try tokens.token(file.token, module)
      try TokenSession.use(token, of: module, pin: pin, tag: tag, writes: false) { session in
        _ = try key.object(session)
      }
      // If the token cannot be written to, leftovers wait for the next time.
      if self.hasLeftovers {
        try? TokenSession.use(token, of: module, pin: pin, tag: tag, writes: true) { session in
          self.removeLeftovers(in: session, now: now)
        }
      }
    }
    return key
  }

  /// Makes `newPIN` the PIN of the token that has the key `tag`: it then unlocks everything else in the token, too.
  public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    guard let file = try keyFile(of: tag) else { throw DeviceKeyError.notFound(tag: tag) }
    _ = try KeyProtection.applicationPIN.checked(.pin(newPIN))
    let tokens = tokens(of: file)
    try await tokens.run { module in
      let token = try tokens.token(file.token, module)
      try TokenSession.use(token, of: module, pin: currentPIN, tag: tag, writes: true) { session in
        try session.setPIN(newPIN, lengths: token.pinLengths, tag: tag)
      }
    }
  }

  /// What the token reports, which is only that a PIN was wrong, that one try is left, or that none is. `nil` when it reports nothing or is
  /// not there.
  public func pinTries(tag: String) async throws -> PINTries? {
    guard let file = try keyFile(of: tag) else { return nil }
    let tokens = tokens(of: file)
    return try? await tokens.run { module in try tokens.token(file.token, module).pinTries }
  }

  /// Whether a module is named.
  public nonisolated var makesKeysInTokens: Bool { tokens != nil }

  public func token(ofKey tag: String?) async throws -> KeyToken? {
    guard let tag else {
      guard let tokens else { return nil }
      return try await tokens.run { module in
        let token = try tokens.token(module)
        return token.identity.description(token.pinTries)
      }
    }
    guard let file = try keyFile(of: tag) else { throw DeviceKeyError.notFound(tag: tag) }
    return file.token.description(try await pinTries(tag: tag))
  }

  /// ``KeyStoreKind/softwareToken`` for a key in a token that reports itself as a program.
  public func kind(ofKey tag: String) async throws -> KeyStoreKind {
    guard let file = try keyFile(of: tag) else { throw DeviceKeyError.notFound(tag: tag) }
    return file.token.kind
  }

  public func deleteKey(tag: String) async throws {
    let file: TokenKeyFile?
    // A damaged file names no object, so the object stays in the token.
    do { file = try keyFile(of: tag) } catch DeviceKeyError.unreadable { file = nil }
    if var left = file {
      left.notBefore = clock()
      do { try leftovers.add(left.serialized, for: Self.leftoverTag(left.id)) } catch DeviceKeyError.exists {}
    }
    try await files.remove(tag)
  }

  public func keys() throws -> [StoredKey] {
    try reportingFiles {
      try files.files.compactMap { try files.content(of: $0, TokenKeyFile.key(parsing:))?.key }
    }
    .oldestFirst
  }

  public func readableKeys() async throws -> (keys: [StoredKey], faults: [DeviceKeyError]) {
    let (contents, faults) = try await files.readable { file in
      try reportingFiles { try files.content(of: file, TokenKeyFile.key(parsing:)) }
    }
    return (contents.compactMap(\.key).oldestFirst, faults)
  }

  // MARK: Leftovers

  private nonisolated var hasLeftovers: Bool { (try? leftovers.files.isEmpty) == false }

  private static func leftoverTag(_ id: [UInt8]) -> String { id.hexadecimal }

  /// Removes the objects that no key uses from the session's token. Failed removals are tried again the next time.
  private nonisolated func removeLeftovers(in session: TokenSession, now: Date) {
    // If not all keys are known, nothing is removed.
    guard let left = try? leftovers.files, !left.isEmpty,
      let keys = try? files.files.compactMap({ try files.content(of: $0, TokenKeyFile.key(parsing:)) })
    else { return }
    let used = Set(keys.map(\.id))
    for url in left {
      guard let file = try? leftovers.content(of: url, TokenKeyFile.init(parsing:)),
        file.token == session.token, file.notBefore <= now
      else { continue }
      let isRemoved: Bool
      if used.contains(file.id) {
        // A plan has done its part. The leftover of a key whose file is still there is needed when a deletion, perhaps of another
        // process, goes on.
        isRemoved = file.publicKey.isEmpty
      } else {
        isRemoved = (try? session.destroyObjects(id: file.id)) != nil
      }
      if isRemoved { try? ProtectedFiles.remove(url) }
    }
  }

  // MARK: Files

  private static func key(_ file: TokenKeyFile, _ pin: PIN, _ tokens: TokenModule) throws -> PKCS11Key {
    guard let key = file.key else {
      throw DeviceKeyError.unsupported("The key '\(file.tag)' has no public key on P-256.")
    }
    return PKCS11Key(file: file, publicKey: key.publicKey, pin: pin, tokens: tokens)
  }

  /// Access to the token of a key, through the module that made the key or, when that is gone, through the one that is named now.
  private nonisolated func tokens(of file: TokenKeyFile) -> TokenModule {
    if let tokens, tokens.path == file.module || access(file.module, F_OK) != 0 { return tokens }
    return TokenModule(path: file.module, chosen: nil)
  }

  /// The file of the key `tag`, `nil` when there is none.
  private func keyFile(of tag: String) throws -> TokenKeyFile? {
    try reportingFiles { try files.content(ofKey: tag, named: \.tag, TokenKeyFile.key(parsing:)) }
  }
}
