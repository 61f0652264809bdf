internal import Bytes
internal import JourneyStore
internal import PushService
internal import StrictJSON

/// The devices whose keys are bound to an account.
struct BoundDevices: DeviceKind {
  static let path = "devices/2fa/binding"
  static let name = "binding"
  let devices: any DeviceStore<BoundDeviceRecord>

  /// `attestation` is ours, and present only for a key that has one.
  static func members(of device: BoundDeviceRecord) -> JSONObject {
    var members: JSONObject = [
      "deviceId": .string(device.deviceID), "recoveryCodes": [], "key": .object(device.key),
    ]
    members["attestation"] = device.attestation.map { .object($0) }
    return members
  }
}

/// The authenticators that make an account's one-time codes.
struct OathDevices: DeviceKind {
  static let path = "devices/2fa/oath"
  static let name = "oath"
  static let isOptional = true
  let devices: any DeviceStore<OathDeviceRecord>
}

/// The devices on which an account answers push messages.
struct PushDevices: DeviceKind {
  static let path = "devices/2fa/push"
  static let name = "push"
  static let isOptional = true
  let devices: any DeviceStore<PushDeviceRecord>
  let direct: PollWaiters

  /// Ends the device's streams.
  func ended(_ device: PushDeviceRecord) { direct.end(device.address) }
}

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
    name.contains("::") ? "The name of a WebAuthn device must not contain two colons in a row." : nil
  }
}
