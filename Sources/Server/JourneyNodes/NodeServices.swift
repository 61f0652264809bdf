public import Foundation
public import JourneyStore
public import KeyAttestation

/// What nodes work with beyond the journey's own state.
public struct NodeServices: Sendable {
  public var store:
    any UserStore & BoundDeviceStore & OnceStore & LockoutStore & EvidenceStore
      & TransactionStore
  public var passwords: any PasswordVerifying
  public var clock: @Sendable () -> Date

  /// That many bytes of a cryptographically secure source.
  public var randomBytes: @Sendable (Int) -> [UInt8]
  public var lockout: LockoutPolicy

  /// Verifies attestations of new keys; `nil` when no roots are configured, and then none can pass.
  public var attestation: AttestationVerifier?

  public init(
    store: any UserStore & BoundDeviceStore & OnceStore & LockoutStore & EvidenceStore
      & TransactionStore,
    passwords: any PasswordVerifying, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    lockout: LockoutPolicy = .standard, attestation: AttestationVerifier? = nil
  ) {
    self.store = store
    self.passwords = passwords
    self.clock = clock
    self.randomBytes = randomBytes
    self.lockout = lockout
    self.attestation = attestation
  }
}

/// Checks and makes password hashes.
public protocol PasswordVerifying: Sendable {
  /// Whether `password` has the hash. `nil`, the hash of an unknown user, is never right and costs the same time.
  func verify(_ password: String, against hash: String?) async throws -> Bool

  /// The hash under which to store a new password.
  func hash(_ password: String) async throws -> String
}
