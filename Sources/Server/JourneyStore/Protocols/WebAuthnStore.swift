/// WebAuthn credentials.
public protocol WebAuthnStore: Sendable {
  var webAuthnDevices: any DeviceStore<WebAuthnDeviceRecord> { get }

  /// Adds the device if the user still has fewer than `limit` (0 means no limit) and no account of the realm has its
  /// credential id: one conditional write. The user must exist.
  func addWebAuthnDevice(
    _ device: WebAuthnDeviceRecord, limit: DeviceLimit
  ) async throws -> WebAuthnDeviceAddition

  /// The device with that credential, of any account of the realm; or `nil`.
  func webAuthnDevice(credentialID: [UInt8], realm: String) async throws -> WebAuthnDeviceRecord?

  /// Stores what an accepted assertion changes. The counter is stored only if it is above the stored one, or if both are
  /// 0: one conditional write, so that of two assertions with the same counter one is told. It never falls.
  func recordWebAuthnUse(_ use: WebAuthnUse, credentialID: [UInt8], realm: String) async throws
    -> WebAuthnUseResult
}

/// What became of ``WebAuthnStore/addWebAuthnDevice(_:limit:)``.
public enum WebAuthnDeviceAddition: Sendable, Hashable {
  case added
  case limitReached
  /// It was to be added only as the user's first factor, and is not.
  case notFirst
  /// Some account of the realm has a credential of this id.
  case duplicate
  case noSuchUser
}

/// What became of ``WebAuthnStore/recordWebAuthnUse(_:credentialID:realm:)``.
public enum WebAuthnUseResult: Sendable, Hashable {
  case recorded
  /// The rest is stored, but the counter did not advance: there may be a copy of the credential.
  case counterNotAdvanced
  /// The device was deleted meanwhile.
  case noSuchDevice
}
