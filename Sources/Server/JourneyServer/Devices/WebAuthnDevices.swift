internal import Bytes
internal import JourneyStore
internal import StrictJSON

/// The WebAuthn credentials of an account.
struct WebAuthnDevices: DeviceKind {
  static let path = "devices/2fa/webauthn"
  static let name = "webauthn"
  static let isReadable = true
  let devices: any DeviceStore<WebAuthnDeviceRecord>

  static func members(of device: WebAuthnDeviceRecord) -> JSONObject {
    ["credentialId": .string(Base64URL.encode(device.credentialID))]
  }

  /// By the record's id or the credential's.
  static func names(_ id: String, _ device: WebAuthnDeviceRecord) -> Bool {
    device.uuid == id || device.credentialID == Base64URL.decode(id)
  }

  static func fault(inName name: String) -> String? {
    name.contains("::") ? "The name of a WebAuthn device has no two colons in a row." : nil
  }
}
