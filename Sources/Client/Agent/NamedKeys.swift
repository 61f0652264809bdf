package import DeviceKeys

extension DeviceKeyStore {
  /// Makes a key for this machine's programs.
  ///
  /// - Parameters:
  ///   - pin: The PIN that unlocks the key; without one a person is asked to agree.
  ///   - read: Returns the description of a key of this purpose.
  /// - Throws: What ``createKey(tag:protection:unlock:)`` does.
  package func makeKey<Key>(_ tag: String, pin: PIN?, as read: (StoredKey) -> Key?) async throws -> Key {
    _ = try await createKey(
      tag: tag, protection: pin == nil ? .none : .applicationPIN, unlock: pin.map { .pin($0) } ?? .nothing)
    guard let key = try await readableKeys().keys.first(where: { $0.tag == tag }).flatMap(read) else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    return key
  }
}
