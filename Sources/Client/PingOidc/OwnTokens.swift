internal import Bytes
internal import Crypto
internal import Foundation
internal import PingLogger
internal import PingStorage

/// The default storage of an app's tokens: encrypted, and separate for each client of each provider.
///
/// Earlier versions kept the tokens of all owners in one account. Tokens found there whose ID token names this owner are moved once;
/// the others stay.
struct OwnTokens: UpdatableStorage {
  /// The account of earlier versions. The names of all owners' accounts begin with it.
  static let account = "ACCESS_TOKEN_STORAGE"

  private let owner: TokenOwner
  private let place: Keychain<Token>
  private let former: Keychain<Token>

  init(of owner: TokenOwner) {
    self.init(of: owner) { Keychain(account: $0, encryptor: DeviceEncryptor()) }
  }

  init(of owner: TokenOwner, keychain: (_ account: String) -> Keychain<Token>) {
    self.owner = owner
    place = keychain(Self.account(of: owner))
    former = keychain(Self.account)
  }

  static func account(of owner: TokenOwner) -> String {
    // An address has no line break, so two owners never yield the same text.
    let digest = SHA256.hash(data: Data("\(owner.issuer)\n\(owner.clientId)".utf8))
    return "\(account).\(digest.hexadecimal)"
  }

  func save(item: Token) async throws { try await place.save(item: item) }

  func get() async throws -> Token? {
    if let token = try await place.get() { return token }
    return try await takeOver()
  }

  func delete() async throws {
    _ = try await takeOver()
    try await place.delete()
  }

  func update<Result: Sendable>(_ change: @Sendable (inout Token?) throws -> Result) async throws -> Result {
    _ = try await get()
    return try await place.update(change)
  }

  /// Moves the tokens of the earlier account here and returns them, if they are this owner's. They are stored here before they are deleted
  /// there, so a crash loses nothing. When two processes do so, the second one changes nothing.
  private func takeOver() async throws -> Token? {
    let found: Token?
    do { found = try await former.get() } catch {
      // The value may be somebody else's, encrypted with a key that is not available here.
      LogManager.logger.w("What an earlier version stored as \(Self.account) cannot be read", error: error)
      return nil
    }
    guard let found, found.owner == nil, found.idTokenNames(owner) == true else { return nil }
    let owned = found.owned(by: owner)
    let kept = try await place.update { item in
      item = item ?? owned
      return item
    }
    try await former.update { item in
      if item?.accessToken == found.accessToken { item = nil }
    }
    LogManager.logger.i("The tokens that an earlier version stored were taken over for \(owner.issuer)")
    return kept
  }
}
