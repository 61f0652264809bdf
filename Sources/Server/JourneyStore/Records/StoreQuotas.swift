/// Limits of what one account, one application or strangers can make a store keep. Each is checked in the write that would exceed it.
public struct StoreQuotas: Sendable, Hashable {
  /// Sessions of an account at once; one more ends the oldest.
  public var sessionsPerAccount = 100

  /// Devices of an account, of each kind: bound keys, WebAuthn credentials, push devices, authenticators for codes. A node's
  /// own limit counts where it is lower.
  public var devicesPerAccount = 100

  /// Transactions of an application that wait for a decision.
  public var openTransactionsPerApplication = 10_000

  /// Applications of a realm.
  public var applicationsPerRealm = 1_000

  /// Bytes that the proofs of an account add to the ledger in a day (UTC). A proof takes 1 to 3 KiB there.
  public var evidenceBytesPerAccountAndDay = 2 << 20

  /// Bytes that the approvals of an application's transactions add to the ledger in a day (UTC).
  public var evidenceBytesPerApplicationAndDay = 1 << 30

  /// Bytes that the SSH certificates which an account asks for add to the ledger in a day (UTC), beside its proofs. One takes 2 to 4 KiB there.
  public var certificateBytesPerAccountAndDay = 2 << 20

  /// Names without an account whose failures are remembered; more push out the oldest.
  public var failuresOfUnknownNames = 10_000

  public init() {}

  /// The limit of a node, lowered to ``devicesPerAccount``.
  package func deviceLimit(_ limit: DeviceLimit) -> DeviceLimit {
    var lowered = limit
    lowered.count = limit.count > 0 ? min(limit.count, devicesPerAccount) : devicesPerAccount
    return lowered
  }
}
