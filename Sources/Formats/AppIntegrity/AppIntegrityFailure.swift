internal import KeyAttestation

/// Why an app's proof was not accepted: which check failed, and a sentence for the operator. Clients learn nothing of it.
package struct AppIntegrityFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The checks, each with its own name.
  package enum Check: String, Sendable, Hashable, CaseIterable {
    /// An input is missing, too long, or not Base64.
    case answerMalformed
    case clientDataMalformed
    /// The proof answers another challenge.
    case challengeMismatch
    /// The client data names another app than the attested one.
    case clientDataMismatch
    /// Not an attestation object of App Attest.
    case attestationMalformed
    /// No path from the certificates to a trusted root; or, with a TPM, another check of its attestation.
    case attestationUntrusted
    /// The certificate was not issued for this authenticator data and this client data.
    case nonceMismatch
    /// Key identifier, certificate and credential do not belong to the same key.
    case keyMismatch
    /// The attested app is not one of the expected ones.
    case applicationMismatch
    /// The key has signed before it was attested.
    case counterNotZero
    /// App Attest's development environment: a build of the team that can be debugged and changed.
    case developmentEnvironment
    /// Neither of App Attest's environments.
    case environmentUnknown
    /// The assertion is malformed, or belongs to another key, app or client data.
    case assertionInvalid
    /// A TPM proves the device and not the app, and is not accepted here.
    case deviceAttestationRefused
    /// Not a signed token of the documented form.
    case tokenMalformed
    case tokenSignatureInvalid
  }

  package let check: Check

  /// What was found. Never contains key material.
  package let detail: String

  init(_ check: Check, _ detail: String) {
    self.check = check
    self.detail = detail
  }

  init(_ failure: AttestationFailure) { self.init(.attestationUntrusted, failure.description) }

  package var description: String { "\(check.rawValue): \(detail)" }
}
