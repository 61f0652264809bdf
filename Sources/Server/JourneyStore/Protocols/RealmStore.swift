public import Foundation

/// Realms that were created while a server ran, beside those that are configured.
///
/// Several servers on one database learn of a change by ``realmsVersion()``, which they ask for often and which is cheap.
public protocol RealmStore: Sendable {
  /// The realms, with the version that they belong to.
  func realms() async throws -> RealmList

  /// A number that grows with every change of ``realms()``.
  func realmsVersion() async throws -> Int64

  /// When the realm was made, the last time if another one had its name; `nil` for one that is configured, or not there.
  func realmCreation(_ name: String) async throws -> Date?

  /// Adds a realm; a caller needs ``Capability/administrate`` over the root realm. `alpha/branch` is a realm in the realm `alpha`. Throws
  /// ``StoreError/conflict(_:)`` when the name is there in any case, ``StoreError/missing(_:)`` when the realm that it is in was deleted, and
  /// ``StoreError/exhausted(_:)`` beyond ``RealmList/maximumCount``.
  func createRealm(_ name: String, at date: Date, by caller: Caller?) async throws

  /// Removes a realm: an empty one, or with `isForced` all its accounts and applications with what belongs to them, in one transaction. Evidence
  /// and push decisions stay. From then on the realm takes no account, until it is created again. One with realms in it stays, forced or not.
  func deleteRealm(_ name: String, isForced: Bool, at date: Date, by caller: Caller?) async throws
    -> RealmDeletion
}

/// The realms of one moment.
public struct RealmList: Sendable, Hashable {
  public var version: Int64

  /// As they were given, by name.
  public var names: [String]

  /// Servers keep all of them in memory.
  public static let maximumCount = 1000

  public init(version: Int64, names: [String]) {
    self.version = version
    self.names = names
  }
}

/// What became of ``RealmStore/deleteRealm(_:isForced:at:by:)``.
public enum RealmDeletion: Sendable, Hashable {
  /// It is gone, with so many accounts and applications.
  case deleted(accounts: Int, applications: Int)

  /// It has so many, and is still there.
  case notEmpty(accounts: Int, applications: Int)

  /// So many realms are in it, and it is still there.
  case hasRealms(Int)

  case noSuchRealm
}
