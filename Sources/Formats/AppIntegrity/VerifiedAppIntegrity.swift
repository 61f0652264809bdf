package import KeyAttestation
package import StrictJSON

/// The facts about an app after its answer was verified. Only ``AppIntegrityVerifier`` makes one.
package struct VerifiedAppIntegrity: Sendable, Hashable {
  package enum Evidence: Sendable, Hashable {
    /// App Attest: a genuine device of Apple's, and the app itself.
    case appAttest(AppAttestEnvironment)
    /// A TPM: the device. The app itself states which app it is.
    case tpm(VerifiedAttestation)
  }

  package let evidence: Evidence

  /// The expected application that the app is.
  package let applicationID: String

  /// Names the attested key.
  package let keyID: String
  package let root: VerifiedAttestation.Root

  init(_ evidence: Evidence, applicationID: String, keyID: String, root: VerifiedAttestation.Root) {
    self.evidence = evidence
    self.applicationID = applicationID
    self.keyID = keyID
    self.root = root
  }

  /// The form for scripts: `kind` (`appAttest` or `tpm`), `applicationId`, `keyId`, `root` (`subject`, `sha256`), and `environment` or
  /// `tpm`.
  package var json: JSONObject {
    var json: JSONObject = [
      "kind": "appAttest", "applicationId": .string(applicationID), "keyId": .string(keyID),
      "root": ["subject": .string(root.subject), "sha256": .string(root.fingerprint)],
    ]
    switch evidence {
    case .appAttest(let environment): json["environment"] = .string(environment.rawValue)
    case .tpm(let attestation):
      json["kind"] = "tpm"
      json["tpm"] = attestation.json["tpm"]
    }
    return json
  }
}
