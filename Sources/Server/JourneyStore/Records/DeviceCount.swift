/// How many devices are alike.
package struct DeviceCount: Sendable, Hashable {
  /// `bound`, `webauthn`, `oath` or `push`.
  package var kind: String

  /// What the kind knows of the model: the platform of a push device, an authenticator's AAGUID, an algorithm; may be empty.
  package var model: String

  /// What vouches for the key: `none`, or the kind of the attestation.
  package var attestation: String
  package var count: Int
}
