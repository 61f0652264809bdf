internal import Bytes
internal import JourneyStore
internal import StrictJSON

/// The WebAuthn credentials of an account.
struct WebAuthnDevices: DeviceKind {
  let store: any WebAuthnStore

  static let path = "devices/2fa/webauthn"
  static let name = "webauthn"
  static let isReadable = true

  func devices(of account: UniversalID) async throws -> [WebAuthnDeviceRecord] {
    try await store.webAuthnDevices(of: account)
  }

  func rename(_ id: String, of account: UniversalID, to name: String) async throws -> WebAuthnDeviceRecord? {
    try await store.renameWebAuthnDevice(
      uuid: id, of: account, to: name)
  }

  func remove(_ id: String, of account: UniversalID) async throws -> WebAuthnDeviceRecord? {
    try await store.deleteWebAuthnDevice(uuid: id, of: account)
  }

  static func representation(of device: WebAuthnDeviceRecord) -> JSONObject {
    device.representation(["credentialId": .string(Base64URL.encode(device.credentialID))])
  }

  /// By the record's id or the credential's.
  static func names(_ id: String, _ device: WebAuthnDeviceRecord) -> Bool {
    device.uuid == id || device.credentialID == Base64URL.decode(id)
  }

  static func fault(inName name: String) -> String? {
    name.contains("::") ? "The name of a WebAuthn device has no two colons in a row." : nil
  }
}
