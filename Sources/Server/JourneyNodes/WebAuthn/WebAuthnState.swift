internal import JourneyEngine
internal import StrictJSON
internal import WebAuthnFormats

/// State variables of the WebAuthn nodes, under PingAM's names.
enum WebAuthnState {
  /// The challenge that is out, in Base64; in shared state while the question is open. Only for scripts to read.
  static let challenge = "web-authn-challenge"

  /// What the client reported instead of an answer: `<Name>:<text>`.
  static let clientError = "WebAuthenticationDOMException"

  /// Extensions to ask for, an object.
  static let extensions = "webAuthnExtensions"
  static let attestationInfo = "webauthnAttestationInfo"
  static let assertionInfo = "webauthnAssertionInfo"
  static let data = "webauthnData"
  static let attestationType = "webauthnAttestationType"
  static let aaguid = "webauthnDeviceAaguid"
  static let deviceData = "webauthnDeviceData"
  static let deviceUUID = "webauthnDeviceUuid"
  static let deviceName = "webauthnDeviceName"

  /// The flags of an accepted answer as PingAM shows them.
  static func info(
    _ flags: AuthenticatorData.Flags, attachment: AuthenticatorAttachment?
  ) -> JSONValue {
    func flag(_ flag: AuthenticatorData.Flags) -> JSONValue { .bool(flags.contains(flag)) }
    var info: JSONObject = [
      "flags": [
        "UP": flag(.userPresent), "UV": flag(.userVerified), "AT": flag(.attestedCredential),
        "ED": flag(.extensions), "BE": flag(.backupEligible), "BS": flag(.backedUp),
      ]
    ]
    info["authenticatorAttachment"] = attachment.map { .string($0.rawValue) }
    return .object(info)
  }
}
