public import EvidenceLedger
public import Foundation

/// The ledger of verified signatures. It only grows: nothing here changes or removes an entry, but that the content of old
/// ones may go, with their hashes left in the tree.
///
/// An entry is written in the transaction that makes its signature count, so that a crash leaves both or neither.
public protocol EvidenceStore: Sendable {
  /// Makes a proof by a bound key count: all of ``AcceptedSignature`` or nothing, in one transaction, durable when this
  /// returns. Of several that use up the same step, or bring the same proof, one counts.
  func accept(_ signature: AcceptedSignature) async throws -> SignatureAcceptance

  /// Adds the device as ``BoundDeviceStore/addBoundDevice(_:limit:)`` does, and, if it was added, the evidence of the
  /// proof that it was bound by, which is consumed: all in one transaction, or nothing.
  func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit, evidence: EvidenceRecord, once: OnceKey
  ) async throws -> BoundDeviceAddition

  /// Adds an entry alone, for a proof whose device is stored later, and consumes the proof: both in one transaction,
  /// durable when this returns.
  ///
  /// - Returns: the entry's number; `nil` when the proof has been accepted before.
  func addEvidence(_ record: EvidenceRecord, once: OnceKey) async throws -> Int64?

  /// Removes the content of some old entries for good: names, keys, tokens. Number and hash stay, so that the chains, the tree and every
  /// proof that was made hold. ``removeEvidenceContent(before:amongFirst:machineTime:)`` goes on until all is gone.
  ///
  /// Whole epochs go, one in each call; or where there is lane 0 alone, up to `limit` entries, up to the first that is not older. Each entry
  /// is removed, and counted in ``EvidenceRemoval/new``, once, however many servers do this.
  ///
  /// - Parameters:
  ///   - time: what is older may go. Milliseconds since 1970.
  ///   - leaves: nothing but the first so many entries of the tree may go.
  ///   - machineTime: now by this machine's clock, when `time` was computed by it: where that is ahead of the database's clock, `time` is
  ///     moved back by as much.
  func removeEvidencePortion(
    before time: Int64, amongFirst leaves: Int64, limit: Int, machineTime: Date?
  ) async throws -> EvidenceRemoval

  /// The entry of that number; `nil` when there is none, or its content was removed.
  func evidence(number: Int64) async throws -> EvidenceEntry?

  /// Entries, the newest first.
  func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry]
}

/// What came of ``EvidenceStore/removeEvidencePortion(before:amongFirst:limit:machineTime:)``.
public struct EvidenceRemoval: Sendable, Hashable {
  /// How many entries have no content now.
  public var removed: Int64

  /// How many of them lost it by this call.
  public var new: Int64

  /// Whether nothing more is to be removed.
  public var isComplete: Bool

  public init(removed: Int64, new: Int64, isComplete: Bool) {
    self.removed = removed
    self.new = new
    self.isComplete = isComplete
  }
}

extension EvidenceStore {
  /// Removes the content of all entries that
  /// ``EvidenceStore/removeEvidencePortion(before:amongFirst:limit:machineTime:)`` may take, in portions, so that others write in between.
  public func removeEvidenceContent(
    before time: Int64, amongFirst leaves: Int64 = .max, machineTime: Date? = nil
  ) async throws -> EvidenceRemoval {
    var new: Int64 = 0
    while true {
      try Task.checkCancellation()
      let portion = try await removeEvidencePortion(
        before: time, amongFirst: leaves, limit: 1000, machineTime: machineTime)
      new += portion.new
      if portion.isComplete { return EvidenceRemoval(removed: portion.removed, new: new, isComplete: true) }
    }
  }
}

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

/// What counts once, as a key of ``OnceStore/consume(_:until:)``.
public struct OnceKey: Sendable, Hashable {
  public var key: [UInt8]

  /// From then on it could not be accepted anywhere, so that nothing has to remember it.
  public var expiry: Date

  public init(key: [UInt8], expiry: Date) {
    self.key = key
    self.expiry = expiry
  }
}

/// What became of ``EvidenceStore/accept(_:)``.
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

/// Which entries of the ledger are wanted.
public struct EvidenceQuery: Sendable, Hashable {
  /// Of this realm; `nil` for all.
  public var realm: String?

  /// Of this user, whatever the case of the name; `nil` for all. Means something only with a realm.
  public var username: String?

  /// Of this account alone, by its id: not of others that had its name before. Means something only with realm and name.
  ///
  /// Entries that have no id, because a server of an earlier version wrote them, are taken for those of the account that has the name now if
  /// they are not older than that account. Others without an id are nobody's.
  public var accountID: String?

  /// Only entries with lower numbers.
  public var before: Int64?

  /// Only what happened then or later, and before. Milliseconds since 1970; `nil` for no bound.
  public var since: Int64?
  public var until: Int64?

  /// Only entries of this kind: an ``EvidenceRecord/Kind``, or the type of a push message. `nil` for all.
  public var kind: String?

  /// How many of the newest that fit are left out.
  public var offset: Int

  /// At most so many.
  public var limit: Int

  public init(
    realm: String? = nil, username: String? = nil, accountID: String? = nil, before: Int64? = nil,
    since: Int64? = nil, until: Int64? = nil, kind: String? = nil, offset: Int = 0, limit: Int
  ) {
    self.realm = realm
    self.username = username
    self.accountID = accountID
    self.before = before
    self.since = since
    self.until = until
    self.kind = kind
    self.offset = offset
    self.limit = limit
  }
}
