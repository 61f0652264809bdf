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

  public init(id: String, realm: String, name: String, secretHash: [UInt8], createdAt: Date) {
    self.id = id
    self.realm = realm
    self.name = name
    self.secretHash = secretHash
    self.createdAt = createdAt
  }
}
