/// Why a ledger cannot be trusted from some place on.
public struct EvidenceFault: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The file is not an export, or its first line is not as the server wrote it.
    case header
    /// It is the export of another ledger than the one expected.
    case ledger
    /// A line does not have the form of an entry.
    case malformed
    /// An entry is not as it was hashed, or does not continue the one before.
    case changed
    /// An entry is missing.
    case removed
    /// An entry appears after a later one.
    case reordered
    /// An entry appears a second time.
    case duplicated
    /// There are entries that the signed checkpoint does not know, or that are not of the realm that was asked for.
    case added
    /// The export ends without its checkpoint.
    case cut
    /// The checkpoint is not the server's, or not of this chain.
    case checkpoint
    /// The chain is whole, but not the one of an earlier export.
    case rewritten
    /// The device's signature in an entry does not verify, says something else than the entry (user, device, transaction),
    /// or is in an earlier entry, too.
    case signature
    /// Two checkpoints that the ledger's key has signed contradict each other.
    case forked
    /// A proof does not show what it should.
    case proof
    /// The entry that a proof is asked for is not in the ledger.
    case missing
  }

  public var kind: Kind

  /// The number of the first bad entry; `nil` when the fault is in the header or in the checkpoint.
  public var entry: Int64?

  /// What is wrong, as the continuation of "entry N: …".
  public var reason: String

  public init(_ kind: Kind, entry: Int64? = nil, _ reason: String) {
    self.kind = kind
    self.entry = entry
    self.reason = reason
  }

  public var description: String {
    "\(entry.map { "entry \($0)" } ?? "the ledger") is bad (\(kind.rawValue)): \(reason)"
  }
}
