internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JOSE
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON
internal import WebAuthnFormats
internal import WebAuthnVerification

extension NodeDefinition {
  /// Stores the device that a WebAuthn Registration node left in state.
  func webAuthnDeviceStorageNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let services = try services.addingFactors(self)
    let generatesCodes = try flag("generateRecoveryCodes", default: true, instead: false)
    // The most devices of one user; 0 means no limit.
    let limit = try integer("maxSavedDevices", default: 0, in: 0...1000, clamping: .down)
    return PlainNode(
      outcomes: ["success", "failure"] + (limit > 0 ? ["exceedDeviceLimit"] : []),
      stateInputs: [StateKey.username, WebAuthnState.deviceData]
    ) { context in
      func failure(_ reason: String) -> NodeResult {
        context.outcome("failure", because: "WebAuthn device not stored: \(reason)")
      }
      let found = try await services.user(in: &context)
      let form = context.state[WebAuthnState.deviceData]?.objectValue
      context.state.transient[WebAuthnState.deviceData] = nil
      guard let form else {
        return failure(
          "there is no device in state; switch on `postponeDeviceProfileStorage` in the WebAuthn Registration node"
        )
      }
      guard let user = found else { return failure("there is no such user") }
      guard let record = WebAuthnDeviceRecord(stateForm: form, user: user, now: services.clock()) else {
        return failure("what is in state is not a WebAuthn device")
      }
      guard record.userHandle == Array(WebAuthnUserHandle.text(of: user).utf8) else {
        return failure("the device in state was registered by another user")
      }
      let permission = try await services.factorPermission(for: user, context)
      let addition = try await services.store.addWebAuthnDevice(
        record, limit: DeviceLimit(limit, permission, of: user))
      guard addition != .limitReached else { return WebAuthnNode.exceeded(limit, in: &context) }
      if let refusal = try addition.refusal(limit: limit, duplicate: "\(WebAuthnNode.alreadyRegistered)") {
        return failure(refusal)
      }
      try await services.noteStored(record, of: user, makesRecoveryCodes: generatesCodes, in: &context)
      return .outcome("success")
    }
  }
}

extension WebAuthnDeviceRecord {
  /// The record of a credential that was just registered.
  init(
    _ verified: VerifiedRegistration, name: String?, attachment: AuthenticatorAttachment?, user: UserRecord,
    relyingPartyID: String, uuid: String, now: Date
  ) {
    self.init(
      uuid: uuid, realm: user.realm, username: user.username,
      deviceName: DeviceName(
        fitting: name ?? "", standard: WebAuthnRegistrationNode.standardDeviceName
      ).text,
      credentialID: verified.credentialID, publicKey: verified.publicKey.encoded,
      signCount: verified.signCount, userHandle: Array(WebAuthnUserHandle.text(of: user).utf8),
      relyingPartyID: relyingPartyID, aaguid: verified.aaguid.description,
      attestationFormat: verified.attestation.format, attestationType: verified.attestation.type.rawValue,
      attachment: attachment?.rawValue, isBackupEligible: verified.flags.contains(.backupEligible),
      isBackedUp: verified.flags.contains(.backedUp),
      isUserVerificationInitialized: verified.flags.contains(.userVerified), createdDate: now,
      lastAccessDate: now)
  }

  /// What later assertions are checked against; `nil` when the stored key cannot be read.
  var credential: RegisteredCredential? {
    guard let key = try? COSEKey(decoding: publicKey) else { return nil }
    return RegisteredCredential(
      id: credentialID, publicKey: key, signCount: signCount, isBackupEligible: isBackupEligible,
      userHandle: userHandle)
  }

  /// The device in the form of journeys' state (reference webauthn §5.4, followed by members of ours); dates in milliseconds since 1970.
  var stateForm: JSONObject {
    var form: JSONObject = [
      "uuid": .string(uuid), "credentialId": .string(Base64URL.encode(credentialID)),
      "deviceName": .string(deviceName), "signCount": .integer(Int64(signCount)),
    ]
    if let key = try? COSEKey(decoding: publicKey) {
      form["algorithm"] = .string(key.algorithm.javaName)
      form["key"] = .object(key.jwk)
    }
    form.merge([
      "recoveryCodes": [], "createdDate": .integer(createdDate.millisecondsSince1970),
      "lastAccessDate": .integer(lastAccessDate.millisecondsSince1970),
      "publicKey": .string(Base64URL.encode(publicKey)), "userHandle": .string(Base64URL.encode(userHandle)),
      "relyingPartyId": .string(relyingPartyID), "aaguid": .string(aaguid),
      "attestationFormat": .string(attestationFormat), "attestationType": .string(attestationType),
      "backupEligible": .bool(isBackupEligible), "backupState": .bool(isBackedUp),
      "uvInitialized": .bool(isUserVerificationInitialized),
    ])
    form["authenticatorAttachment"] = attachment.map(JSONValue.string)
    return form
  }

  /// Reads ``stateForm`` back, after scripts may have changed it; `nil` when it is not a device any more.
  init?(stateForm form: JSONObject, user: UserRecord, now: Date) {
    func text(_ name: String) -> String? { form[name]?.stringValue }
    func bytes(_ name: String) -> [UInt8]? { text(name).flatMap { Base64URL.decode($0) } }
    guard let uuid = text("uuid"), (1...64).contains(uuid.utf8.count),
      let credentialID = bytes("credentialId"),
      (1...AttestedCredential.maximumIDBytes).contains(credentialID.count),
      let publicKey = bytes("publicKey"), let key = try? COSEKey(decoding: publicKey),
      let signCount = form["signCount"]?.integerValue.flatMap({ UInt32(exactly: $0) }),
      let userHandle = bytes("userHandle"), let relyingPartyID = text("relyingPartyId"),
      let aaguid = text("aaguid"), let attestationFormat = text("attestationFormat"),
      let attestationType = text("attestationType"),
      case .bool(let isBackupEligible)? = form["backupEligible"],
      case .bool(let isBackedUp)? = form["backupState"],
      case .bool(let isUserVerificationInitialized)? = form["uvInitialized"]
    else { return nil }
    self.init(
      uuid: uuid, realm: user.realm, username: user.username,
      deviceName: DeviceName(
        fitting: text("deviceName") ?? "", standard: WebAuthnRegistrationNode.standardDeviceName
      ).text,
      credentialID: credentialID, publicKey: key.encoded, signCount: signCount, userHandle: userHandle,
      relyingPartyID: relyingPartyID, aaguid: aaguid, attestationFormat: attestationFormat,
      attestationType: attestationType, attachment: text("authenticatorAttachment"),
      isBackupEligible: isBackupEligible, isBackedUp: isBackedUp,
      isUserVerificationInitialized: isUserVerificationInitialized, createdDate: now, lastAccessDate: now)
  }
}

extension COSEAlgorithm {
  /// Java's name of the algorithm, which PingAM's records have.
  fileprivate var javaName: String {
    switch self {
    case .es256: "SHA256withECDSA"
    case .es384: "SHA384withECDSA"
    case .es512: "SHA512withECDSA"
    case .rs256: "SHA256withRSA"
    case .rs384: "SHA384withRSA"
    case .rs512: "SHA512withRSA"
    case .ps256, .ps384, .ps512: "RSASSA-PSS"
    case .edDSA: "EdDSA"
    case .ed448: "Ed448"
    case .mlDSA65: "ML-DSA-65"
    }
  }
}
