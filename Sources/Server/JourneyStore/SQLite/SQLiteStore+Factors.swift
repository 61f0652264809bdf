public import BindingFormats
internal import GRDB

extension SQLiteStore {
  public func hasFactors(of account: UniversalID) async throws -> Bool {
    let key = AccountKey(account)
    return try await read { try Self.hasFactors(key, in: $0) }
  }

  static func hasFactors(_ key: AccountKey, in db: Database) throws -> Bool {
    try db.all("users", factorsExist, [key.realm, key.name]) { try $0.flag() }.first ?? false
  }

  private static let factorsExist =
    "SELECT "
    + ["bound_devices", "webauthn_devices", "push_devices", "oath_devices"].map {
      "EXISTS (SELECT 1 FROM \($0) WHERE realm_key = ?1 AND name_key = ?2)"
    }.joined(separator: " OR ")
}
