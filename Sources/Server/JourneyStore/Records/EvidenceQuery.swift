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

/// What came of ``ServerStore/removeEvidencePortion(before:amongFirst:limit:machineTime:)``.
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
