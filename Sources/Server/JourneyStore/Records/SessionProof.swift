public import Foundation

/// The proof of the person that a session is for. It is accepted only once, in the write that opens the session.
public enum SessionProof: Sendable, Hashable {
  /// A signature by a bound key, with its evidence.
  case signature(AcceptedSignature)

  /// An approved push message, which is removed, with the step that asked for it.
  case push(id: String, use: PushUse, step: OnceKey?)
}

/// A session to open: its record, and the conditions on its account.
public struct NewSession: Sendable {
  public var record: SessionRecord

  /// The account, and the password that was right; `nil` when none was asked for.
  public var mark: PasswordMark?

  /// The hash of the token whose session ends in the same write; `nil` for none.
  public var replacing: [UInt8]?

  /// The time at which ``replacing`` must still be live.
  public var now: Date

  /// The step to remember longer, because the run that it belongs to ends with the session.
  public var step: OnceKey?

  public init(
    _ record: SessionRecord, mark: PasswordMark? = nil, replacing: [UInt8]? = nil, now: Date,
    prolonging step: OnceKey? = nil
  ) {
    self.record = record
    self.mark = mark
    self.replacing = replacing
    self.now = now
    self.step = step
  }
}

/// A session that was opened by a proof.
public struct ProvenSession: Sendable, Hashable {
  /// The account as it was when the session began.
  public var user: UserRecord

  /// The number of the proof's entry in the ledger; `nil` for a proof that leaves none.
  public var evidence: Int64? = nil
}

/// Thrown when a proof is not accepted any more. Neither the proof nor its session was stored then.
public struct ProofNotAccepted: Error {
  public init() {}
}
