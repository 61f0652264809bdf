internal import Bytes
internal import Crypto
internal import Foundation
internal import PingLogger
internal import PingStorage

/// Where an app's tokens lie by default: encrypted, each client's of each provider for themselves.
///
/// Earlier versions kept the tokens of all owners in one place. Tokens found there that are this owner's by their ID token are taken over
/// once; the others stay.
struct OwnTokens: UpdatableStorage {
  /// The earlier place's name, with which all begin.
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
    // No address has a line break, so that two owners never make one text.
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

  /// The tokens of the earlier place, if they are this owner's. Stored here before they are deleted there, so that a crash loses nothing;
  /// of two processes the second changes nothing.
  private func takeOver() async throws -> Token? {
    let found: Token?
    do { found = try await former.get() } catch {
      // It may be another's, which this one has no key for.
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
