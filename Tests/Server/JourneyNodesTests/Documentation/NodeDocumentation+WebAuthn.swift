import JourneyNodes
import StrictJSON

/// Passkeys and security keys.
extension NodeDocumentation {
  private static let webAuthnParty = [
    "relyingPartyDomain": "the relying party's id; the server's, if empty",
    "origins": "where clients may run; the server's, if empty",
    "userVerificationRequirement": "whether the person must be verified",
    "timeout": "seconds that the person has",
    "asScript": "whether browsers get scripts, as PingAM sends them",
  ]

  static let webAuthn: [String: NodeDocumentation] = [
    "WebAuthnRegistrationNode": .init(
      "WebAuthn Registration", "Registers a [passkey or security key](webauthn.md#in-journeys).",
      webAuthnParty.merging([
        "relyingPartyName": "what people read", "authenticatorAttachment": "which authenticators are offered",
        "acceptedSigningAlgorithms": "the algorithms, best first",
        "attestationPreference": "what is asked of attestation",
        "trustStoreAlias": "which roots are trusted",
        "validateFidoU2fAaguid": "whether U2F keys must have no AAGUID",
        "enforceRevocationCheck": "whether certificates are looked up among the revoked ones",
        "fidoCertificationLevel": "the lowest certification of the model", "maxSavedDevices": limit,
        "excludeCredentials": "whether a registered authenticator is refused",
        "generateRecoveryCodes": recoveryCodes,
        "storeAttestationDataInTransientState": "whether later nodes get the attestation",
        "postponeDeviceProfileStorage": postpone, "requiresStrongestFactor": strongest,
        "requiresResidentKey": "whether the key must be a passkey",
        "displayNameSharedState": "the state variable with the name that the authenticator shows",
      ]) { $1 }),
    "WebAuthnAuthenticationNode": .init(
      "WebAuthn Authentication", "Signs in with a passkey or security key.",
      webAuthnParty.merging([
        "isRecoveryCodeAllowed": "whether there is a button for recovery codes",
        "requiresResidentKey": "whether the passkey says who it is",
        "detectSignCountMismatch": "whether a copied key has an outcome of its own",
        "decoyCredentials": "ours: whether names without keys are asked as if they had some",
        "appId": "ours: the https address under which keys were registered with U2F",
      ]) { $1 }),
    "WebAuthnDeviceStorageNode": .init(
      "WebAuthn Device Storage", "Stores the device that a WebAuthnRegistrationNode left in state.",
      [
        "generateRecoveryCodes": recoveryCodes, "maxSavedDevices": limit,
        "requiresStrongestFactor": strongest,
      ]),
  ]
}
