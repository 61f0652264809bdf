public import EvidenceLedger
public import Foundation

/// A proof by a bound key that has passed every check, with everything that its acceptance changes.
public struct AcceptedSignature: Sendable, Hashable {
  /// The evidence to store. The device that it names gets its time as last access.
  public var evidence: EvidenceRecord

  /// The key of the proof, which is accepted only once, wherever its challenge came from.
  public var once: OnceKey

  /// Whether the account has failures to forget.
  public var forgetsFailures: Bool

  /// The step of the journey that the proof answers and consumes; `nil` when it was consumed before.
  public var step: OnceKey?

  public init(
    evidence: EvidenceRecord, once: OnceKey, forgetsFailures: Bool = false, step: OnceKey? = nil
  ) {
    self.evidence = evidence
    self.once = once
    self.forgetsFailures = forgetsFailures
    self.step = step
  }
}

/// The key of something that is accepted only once, for ``ServerStore/consume(_:until:)``.
public struct OnceKey: Sendable, Hashable {
  public var key: [UInt8]

  /// The time from which nothing would accept it any more, so that it need not be remembered.
  public var expiry: Date

  public init(key: [UInt8], expiry: Date) {
    self.key = key
    self.expiry = expiry
  }
}

/// The outcome of ``ServerStore/accept(_:)``.
public enum SignatureAcceptance: Sendable, Hashable {
  /// The proof is accepted, and this is the number of its evidence.
  case accepted(evidence: Int64)
  /// The proof was accepted before.
  case replayed
  /// The device was deleted meanwhile.
  case noSuchDevice
  /// The step was consumed before; whether the proof was accepted before was not checked.
  case answeredBefore
}

/// The outcome of ``ServerStore/user(_:using:)``.
public enum StepReading: Sendable, Hashable {
  /// The step was not used before. The account is as it was then; `nil` when there is none.
  case first(UserRecord?)

  /// The step was used before.
  case used
}
