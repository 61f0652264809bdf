internal import Bytes
public import StrictJSON

/// A key whose hardware can attest that the key lives in it.
public protocol AttestableDeviceKey: DeviceKey {
  /// Returns a new attestation by the hardware for `challenge`.
  ///
  /// - Parameter challenge: The server's challenge, as bytes.
  func attestation(challenge: [UInt8]) async throws -> KeyAttestationEvidence
}

/// The evidence that a relying party needs to verify an attestation. It travels in the `jwk` of the proof of a new key.
public struct KeyAttestationEvidence: Sendable, Hashable {
  /// `x5c`: DER certificates, first the one of the key that signed the statement (RFC 7517 §4.7).
  public var certificateChain: [[UInt8]]

  /// Further members of the `jwk`, for example `tpm`. See docs/attestation.md.
  public var members: JSONObject

  public init(certificateChain: [[UInt8]], members: JSONObject) {
    self.certificateChain = certificateChain
    self.members = members
  }

  /// The members that the `jwk` of the key gets: ``members`` and `x5c`.
  package var jwkMembers: JSONObject {
    var all = members
    // Base64 with padding, not base64url (RFC 7517 §4.7).
    all["x5c"] = .array(certificateChain.map { .string(PaddedBase64.encode($0)) })
    return all
  }
}
