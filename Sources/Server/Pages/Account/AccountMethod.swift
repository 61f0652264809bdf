internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JourneyStore
internal import OATH
internal import PageTemplates
internal import StrictJSON

/// A method by which an account signs in, as its owner reads it.
struct AccountMethod: Sendable {
  let id: String
  let name: String
  let created: Date
  let lastUsed: Date

  /// Text keys: where the secret is, and who vouches for that; `nil` for kinds that nobody vouches for.
  let place: String
  let proof: String?

  /// The text key of a warning.
  var trouble: String?

  /// Further facts: the text key of a label, and a value that is not translated.
  var facts: [(label: String, value: String)] = []

  private init(_ device: some DeviceRecord, place: String, proof: String? = nil) {
    id = device.uuid
    name = device.deviceName
    created = device.createdDate
    lastUsed = device.lastAccessDate
    self.place = place
    self.proof = proof
  }
}

extension AccountMethod {
  /// `nil` for kinds of devices that these pages do not show.
  init?(ofAny device: any DeviceRecord) {
    switch device {
    case let device as BoundDeviceRecord: self.init(device)
    case let device as WebAuthnDeviceRecord: self.init(device)
    case let device as PushDeviceRecord: self.init(device)
    case let device as OathDeviceRecord: self.init(device)
    default: return nil
    }
  }

  init(_ device: BoundDeviceRecord) {
    // The key's protection was verified when it was bound (docs/attestation.md). Claims of the device itself are not shown as facts.
    let (place, proof) =
      switch device.attestation?["securityLevel"]?.stringValue {
      case "tpm": ("methods.placeTPM", "methods.proofTPM")
      case "strongBox": ("methods.placeStrongBox", "methods.proofAndroid")
      case "trustedEnvironment": ("methods.placeTrusted", "methods.proofAndroid")
      case "software": ("methods.placeSoftware", "methods.proofAndroid")
      default: ("methods.placeDevice", "methods.proofNone")
      }
    self.init(device, place: place, proof: proof)
    facts = [("methods.algorithm", Self.algorithm(of: device.key))]
    if let root = device.attestation?["root"]?["subject"]?.stringValue {
      facts.append(("methods.maker", root))
    }
    facts.append(("methods.fingerprint", device.thumbprint))
  }

  /// The key's signature algorithm. Without `alg`, its curve determines it (RFC 7518 §3.1, RFC 8037 §3.1); "EC" tells people nothing.
  static func algorithm(of key: JSONObject) -> String {
    if let algorithm = key["alg"]?.stringValue { return algorithm }
    return switch key["crv"]?.stringValue {
    case "P-256": "ES256"
    case "P-384": "ES384"
    case "P-521": "ES512"
    case let curve?: curve
    case nil: key["kty"]?.stringValue ?? ""
    }
  }

  init(_ device: WebAuthnDeviceRecord) {
    let isKey =
      device.attachment == "cross-platform"
      || device.transports.contains { ["usb", "nfc", "ble"].contains($0) }
    let place =
      if device.isBackedUp {
        "methods.placeSynced"
      } else if device.isBackupEligible {
        "methods.placeSyncable"
      } else if isKey {
        "methods.placeSecurityKey"
      } else if device.attachment == "platform" {
        "methods.placePlatform"
      } else {
        "methods.placeAuthenticator"
      }
    let proof =
      switch device.attestationType {
      case "BASIC", "CA": "methods.proofMaker"
      case "SELF": "methods.proofSelf"
      default: "methods.proofNone"
      }
    self.init(device, place: place, proof: proof)
    facts = [("methods.site", device.relyingPartyID)]
    if device.aaguid.contains(where: { $0 != "0" && $0 != "-" }) {
      facts.append(("methods.model", device.aaguid))
    }
  }

  init(_ device: PushDeviceRecord) {
    self.init(device, place: "methods.placeApp")
    facts = [("methods.platform", device.deviceType), ("methods.delivery", device.communicationType)]
    if device.tokenRetiredAt != nil { trouble = "methods.unreachable" }
  }

  init(_ device: OathDeviceRecord) {
    self.init(device, place: "methods.placeShared")
    facts = [
      (
        "methods.algorithm",
        (device.profile.factor == .counter ? "HOTP, " : "TOTP, ") + device.profile.hash.rawValue
      )
    ]
  }
}
