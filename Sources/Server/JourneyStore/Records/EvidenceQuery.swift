/// A query for entries of the ledger.
public struct EvidenceQuery: Sendable, Hashable {
  /// Only entries of this realm; `nil` for all.
  public var realm: String?

  /// Only entries of this user of the realm, whatever the case of the name; `nil` for all. Without a realm no entry is found.
  public var username: String?

  /// Only entries of the account with this id, not of others that had its name before. Without realm and name no entry is found.
  ///
  /// Entries that servers of earlier versions wrote have no id. They count as entries of the account that has the name now unless they are
  /// older than that account; older ones belong to no account.
  public var accountID: String?

  /// Only entries with lower numbers.
  public var before: Int64?

  /// Only what happened at `since` or later, and before `until`. Milliseconds since 1970; `nil` for no bound.
  public var since: Int64?
  public var until: Int64?

  /// Only entries of this kind: an ``EvidenceRecord/Kind``, or the type of a push message. `nil` for all.
  public var kind: String?

  /// The number of the newest matching entries to skip.
  public var offset: Int

  /// The most entries to return.
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

/// The outcome of ``ServerStore/removeEvidencePortion(before:amongFirst:limit:machineTime:)``.
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
