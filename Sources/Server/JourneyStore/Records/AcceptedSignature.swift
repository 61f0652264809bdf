public import EvidenceLedger
public import Foundation

/// A proof by a bound key that has passed every check, with all that changes when it counts.
public struct AcceptedSignature: Sendable, Hashable {
  /// Its `device` of its `username` gets the evidence's time as last access.
  public var evidence: EvidenceRecord

  /// The proof, which counts once whatever its challenge came from.
  public var once: OnceKey

  /// Whether the account has failures to forget.
  public var forgetsFailures: Bool

  /// The step of the journey that the proof answers, which is used up; `nil` when it was before.
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

/// What counts once, as a key of ``ServerStore/consume(_:until:)``.
public struct OnceKey: Sendable, Hashable {
  public var key: [UInt8]

  /// From then on it could not be accepted anywhere, so that nothing has to remember it.
  public var expiry: Date

  public init(key: [UInt8], expiry: Date) {
    self.key = key
    self.expiry = expiry
  }
}

/// What became of ``ServerStore/accept(_:)``.
public enum SignatureAcceptance: Sendable, Hashable {
  /// It counts, and this is the number of its evidence.
  case accepted(evidence: Int64)
  /// It has counted before.
  case replayed
  /// The device was deleted meanwhile.
  case noSuchDevice
  /// Somebody else has used up the step; whether the proof counted before was not looked at.
  case answeredBefore
}

/// What became of ``ServerStore/user(_:using:)``.
public enum StepReading: Sendable, Hashable {
  /// Nobody has used the step before. The account is as it was then; `nil` when there is none.
  case first(UserRecord?)

  /// Somebody has.
  case used
}
