public import Foundation

/// A program of a relying party that may have transactions approved, such as a shop's server.
public struct ApplicationRecord: Sendable, Hashable {
  /// Random; the user name of HTTP Basic.
  public var id: String

  /// The realm's name, for example `alpha`.
  public var realm: String

  /// What administrators call it; unique in its realm without regard to case.
  public var name: String

  /// SHA-256 of the secret's UTF-8 bytes. The secret is 256 random bits, so that nothing slower is needed.
  public var secretHash: [UInt8]
  public var createdAt: Date

  /// Whether its transactions are approved also by proofs without the claim `txn`, as apps make that know nothing of
  /// transactions. Such a proof is not the device's word that the person saw the fields.
  public var takesPlainProofs: Bool

  public init(
    id: String, realm: String, name: String, secretHash: [UInt8], createdAt: Date,
    takesPlainProofs: Bool = false
  ) {
    self.id = id
    self.realm = realm
    self.name = name
    self.secretHash = secretHash
    self.createdAt = createdAt
    self.takesPlainProofs = takesPlainProofs
  }
}
