/// Finds and removes the keys of this device.
public protocol UserKeyService {
  /// How many keys `userId` has; all users' keys count when it is `nil` or empty.
  func getKeyStatus(userId: String?) -> KeyFoundStatus
  /// All keys, newest first.
  func getAll() -> [UserKey]
  /// Removes a key from the server and from this device.
  func delete(userKey: UserKey, forceDelete: Bool) throws
}

/// The number of keys that were found.
public enum KeyFoundStatus: Sendable {
  case singleKeyFound(key: UserKey)
  /// Newest first.
  case multipleKeysFound(keys: [UserKey])
  case noKeysFound
}

extension UserKeyService {
  public func getKeyStatus(userId: String?) -> KeyFoundStatus {
    var keys = getAll()
    if let userId, !userId.isEmpty { keys.removeAll { $0.userId != userId } }
    guard let newest = keys.first else { return .noKeysFound }
    return keys.count == 1 ? .singleKeyFound(key: newest) : .multipleKeysFound(keys: keys)
  }
}

extension FRUserKeys {
  public func getAll() -> [UserKey] { loadAll() }
}
