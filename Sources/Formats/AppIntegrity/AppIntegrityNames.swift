/// The callback that asks an app to prove itself, and its fields.
///
/// The callback and its class have the names of the earlier SDK. How that SDK and PingAM name the inputs is published nowhere that we know:
/// these names are ours (`docs/attestation.md`).
package enum AppIntegrityField {
  package static let callbackType = "AppIntegrityCallback"

  /// Output: Base64 of random bytes.
  package static let challenge = "challenge"

  /// Input: App Attest's attestation object in Base64, or a TPM's ``AppIntegrityToken``.
  package static let attestation = "attestToken"

  /// Input: App Attest's assertion in Base64; empty with a TPM.
  package static let assertion = "token"

  /// Input: App Attest's identifier of the key, the SHA-256 of the public key in Base64; empty with a TPM.
  package static let keyID = "keyId"

  /// Input: ``AppIntegrityClientData`` in Base64; empty with a TPM.
  package static let clientData = "clientData"

  /// Input: why there is no proof.
  package static let clientError = "clientError"

  package static let inputs = [attestation, assertion, keyID, clientData, clientError]
}

/// What a client sends as ``AppIntegrityField/clientError``.
package enum AppIntegrityClientError {
  /// The device cannot attest.
  package static let unsupported = "Unsupported"

  /// The device can attest, but failed to.
  package static let failed = "ClientDeviceErrors"
}
