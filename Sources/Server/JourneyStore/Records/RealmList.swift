/// The realms of one moment.
public struct RealmList: Sendable, Hashable {
  public var version: Int64

  /// As they were given, by name.
  public var names: [String]

  /// Servers keep all of them in memory.
  public static let maximumCount = 1000
}

/// What became of ``ServerStore/deleteRealm(_:isForced:at:by:)``.
public enum RealmDeletion: Sendable, Hashable {
  /// It is gone, with so many accounts and applications.
  case deleted(accounts: Int, applications: Int)

  /// It has so many, and is still there.
  case notEmpty(accounts: Int, applications: Int)

  /// So many realms are in it, and it is still there.
  case hasRealms(Int)

  case noSuchRealm
}
