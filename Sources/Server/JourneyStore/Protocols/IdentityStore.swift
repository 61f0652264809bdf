/// Accounts by the values of their attributes.
///
/// The store keeps the index with each write of an account, in the same transaction. A value of a unique attribute that another
/// account of the realm has makes that write throw ``StoreError/conflict(_:)``: of two at once one succeeds.
public protocol IdentityStore: Sendable {
  /// What the store finds accounts by.
  var identityIndex: IdentityIndex { get }

  /// Takes another index, and makes it for all accounts unless the database has it already. Called at the start.
  ///
  /// - Returns: what could not be made unique because several accounts have it: a line each, for the operator.
  func use(_ index: IdentityIndex) async throws -> [String]

  /// The account with that ``UserRecord/id``; `nil` when there is none.
  func user(id: String, realm: String) async throws -> UserRecord?

  /// Accounts of the realm that the index has for a lookup, by name: at most `limit`, of those whose names come after `username`.
  /// The values are to be compared again: the index has the beginnings of long ones.
  func users(
    _ lookup: IdentityLookup, realm: String, after username: String?, limit: Int
  ) async throws -> [UserRecord]
}
