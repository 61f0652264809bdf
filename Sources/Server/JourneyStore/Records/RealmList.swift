public import Foundation

/// The realms at one moment.
public struct RealmList: Sendable, Hashable {
  public var version: Int64

  /// The names as they were given, in order.
  public var names: [String]

  /// When each was created, which tells a realm from an earlier one of its name.
  public var created: [String: Date] = [:]

  /// The most realms: servers keep all of them in memory.
  public static let maximumCount = 1000
}

/// The outcome of ``ServerStore/deleteRealm(_:isForced:at:by:)``.
public enum RealmDeletion: Sendable, Hashable {
  /// The realm was removed, with this many accounts and applications.
  case deleted(accounts: Int, applications: Int)

  /// The realm stays, because it has this many accounts and applications.
  case notEmpty(accounts: Int, applications: Int)

  /// The realm stays, because this many realms are in it.
  case hasRealms(Int)

  case noSuchRealm
}
