internal import Bytes
package import JourneyStore
package import PushService
package import StrictJSON

/// The kinds of devices that are factors.
package enum DeviceKinds {
  package static func all(_ store: any ServerStore, direct: PollWaiters) -> [any DeviceKind] {
    [
      BoundDevices(devices: store.boundDevices), WebAuthnDevices(devices: store.webAuthnDevices),
      OathDevices(devices: store.oathDevices), PushDevices(devices: store.pushDevices, direct: direct),
    ]
  }
}

/// The devices whose keys are bound to an account.
package struct BoundDevices: DeviceKind {
  package static let path = "devices/2fa/binding"
  package static let name = "binding"
  package static let isKey = true
  package let devices: any DeviceStore<BoundDeviceRecord>

  package init(devices: any DeviceStore<BoundDeviceRecord>) { self.devices = devices }

  /// `attestation` is ours, and present only for a key that has one.
  package static func members(of device: BoundDeviceRecord) -> JSONObject {
    var members: JSONObject = [
      "deviceId": .string(device.deviceID), "recoveryCodes": [], "key": .object(device.key),
    ]
    members["attestation"] = device.attestation.map { .object($0) }
    return members
  }
}

/// The authenticators that make an account's one-time codes.
package struct OathDevices: DeviceKind {
  package static let path = "devices/2fa/oath"
  package static let name = "oath"
  package static let isOptional = true
  package let devices: any DeviceStore<OathDeviceRecord>

  package init(devices: any DeviceStore<OathDeviceRecord>) { self.devices = devices }
}

/// The devices on which an account answers push messages.
package struct PushDevices: DeviceKind {
  package static let path = "devices/2fa/push"
  package static let name = "push"
  package static let isOptional = true
  package let devices: any DeviceStore<PushDeviceRecord>
  package let direct: PollWaiters

  package init(devices: any DeviceStore<PushDeviceRecord>, direct: PollWaiters) {
    (self.devices, self.direct) = (devices, direct)
  }

  /// Ends the device's streams.
  package func ended(_ device: PushDeviceRecord) { direct.end(device.address) }
}

/// The WebAuthn credentials of an account.
package struct WebAuthnDevices: DeviceKind {
  package static let path = "devices/2fa/webauthn"
  package static let name = "webauthn"
  package static let isReadable = true
  package static let isKey = true
  package let devices: any DeviceStore<WebAuthnDeviceRecord>

  package init(devices: any DeviceStore<WebAuthnDeviceRecord>) { self.devices = devices }

  package static func members(of device: WebAuthnDeviceRecord) -> JSONObject {
    ["credentialId": .string(Base64URL.encode(device.credentialID))]
  }

  /// Compares the id of the record and of the credential.
  package static func names(_ id: String, _ device: WebAuthnDeviceRecord) -> Bool {
    device.uuid == id || device.credentialID == Base64URL.decode(id)
  }

  package static func fault(inName name: String) -> String? {
    name.contains("::") ? "The name of a WebAuthn device must not contain two colons in a row." : nil
  }
}
