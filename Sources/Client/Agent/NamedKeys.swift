package import DeviceKeys

extension DeviceKeyStore {
  /// Makes a key for this machine's programs.
  ///
  /// - Parameters:
  ///   - pin: What unlocks it; without one a person is asked to agree.
  ///   - read: What describes a key of the purpose.
  /// - Throws: What ``createKey(tag:protection:unlock:)`` does.
  package func makeKey<Key>(_ tag: String, pin: PIN?, as read: (StoredKey) -> Key?) async throws -> Key {
    _ = try await createKey(
      tag: tag, protection: pin == nil ? .none : .applicationPIN, unlock: pin.map { .pin($0) } ?? .nothing)
    guard let key = try await keys().first(where: { $0.tag == tag }).flatMap(read) else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    return key
  }
}
