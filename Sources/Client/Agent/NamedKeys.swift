package import DeviceKeys

extension DeviceKeyStore {
  /// Makes a key for this machine's programs.
  ///
  /// - Parameter pin: What unlocks it; without one a person is asked to agree.
  /// - Throws: What ``createKey(tag:protection:unlock:)`` does.
  package func makeKey(_ tag: String, pin: PIN?) async throws -> StoredKey {
    _ = try await createKey(
      tag: tag, protection: pin == nil ? .none : .applicationPIN, unlock: pin.map { .pin($0) } ?? .nothing)
    guard let key = try await keys().first(where: { $0.tag == tag }) else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    return key
  }
}
