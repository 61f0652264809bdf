import JourneyNodes
import StrictJSON

/// Passkeys and security keys.
extension NodeDocumentation {
  private static let webAuthnParty = [
    "relyingPartyDomain": "the relying party's id; the server's, if empty",
    "origins": "the origins where clients may run; the server's, if empty",
    "userVerificationRequirement": "whether the authenticator must verify the person",
    "timeout": "time limit in seconds",
    "asScript": "whether browsers get scripts, as PingAM sends them",
  ]

  static let webAuthn: [String: NodeDocumentation] = [
    "WebAuthnRegistrationNode": .init(
      "WebAuthn Registration", "Registers a [passkey or security key](webauthn.md#in-journeys).",
      webAuthnParty.merging([
        "relyingPartyName": "the name shown to people",
        "authenticatorAttachment": "which authenticators are offered",
        "acceptedSigningAlgorithms": "the accepted algorithms, preferred first",
        "attestationPreference": "which attestation is requested",
        "trustStoreAlias": "which roots are trusted",
        "validateFidoU2fAaguid": "whether U2F keys must have no AAGUID",
        "enforceRevocationCheck": "whether certificates are checked for revocation",
        "fidoCertificationLevel": "the lowest accepted certification of the authenticator's model",
        "maxSavedDevices": limit,
        "excludeCredentials": "whether an authenticator that is already registered is refused",
        "generateRecoveryCodes": recoveryCodes,
        "storeAttestationDataInTransientState": "whether later nodes get the attestation",
        "postponeDeviceProfileStorage": postpone, "requiresStrongestFactor": strongest,
        "requiresResidentKey": "whether the key must be a passkey",
        "displayNameSharedState": "the state variable with the name that the authenticator shows",
      ]) { $1 },
      outcomes:
        "`unsupported`, `success`, `failure`, `error`; `exceedDeviceLimit` with `maxSavedDevices`, unless storage is "
        + "postponed."
    ),
    "WebAuthnAuthenticationNode": .init(
      "WebAuthn Authentication", "Signs in with a passkey or security key.",
      webAuthnParty.merging([
        "isRecoveryCodeAllowed": "whether there is a button for recovery codes",
        "requiresResidentKey": "whether the passkey identifies the user",
        "detectSignCountMismatch": "whether a copied key has its own outcome",
        "decoyCredentials": "ours: whether user names without keys are asked for decoy credentials",
        "appId": "ours: the https address under which keys were registered with U2F",
      ]) { $1 },
      outcomes:
        "`unsupported`, `noDevice`, `success`, `failure`, `error`; `recoveryCode` with `isRecoveryCodeAllowed`; "
        + "`successSignCountMismatch` with `detectSignCountMismatch`."),
    "WebAuthnDeviceStorageNode": .init(
      "WebAuthn Device Storage", "Stores the device that a WebAuthnRegistrationNode left in state.",
      [
        "generateRecoveryCodes": recoveryCodes, "maxSavedDevices": limit,
        "requiresStrongestFactor": strongest,
      ], outcomes: "`success`, `failure`; `exceedDeviceLimit` with `maxSavedDevices`."),
  ]
}
