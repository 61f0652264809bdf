public import BindingFormats
internal import Foundation
internal import GRDB

extension SQLiteStore {
  public func setRecoveryCodes(
    _ hashes: [[UInt8]], kind: String, of account: UniversalID
  ) async throws {
    let key = AccountKey(account)
    try await write("the recovery codes of \(account.username)") { db in
      _ = try db.change(
        "DELETE FROM recovery_codes WHERE realm_key = ? AND name_key = ? AND kind = ?",
        [key.realm, key.name, kind])
      for hash in hashes {
        _ = try db.change(
          "INSERT INTO recovery_codes (realm_key, name_key, kind, hash) VALUES (?, ?, ?, ?)",
          [key.realm, key.name, kind, Data(hash)])
      }
    }
  }

  /// Forgets the codes that stood in for devices of `table`, if the account has none of them left; in the transaction that
  /// removed the last one.
  static func forgetRecoveryCodes(
    kind: String, unlessInUseBy table: String, of key: AccountKey, in db: Database
  ) throws {
    _ = try db.change(
      """
      DELETE FROM recovery_codes WHERE realm_key = ?1 AND name_key = ?2 AND kind = ?3
        AND NOT EXISTS (SELECT 1 FROM \(table) WHERE realm_key = ?1 AND name_key = ?2)
      """, [key.realm, key.name, kind])
  }

  public func useRecoveryCode(
    _ hash: [UInt8], kind: String, of account: UniversalID
  ) async throws -> Bool {
    let key = AccountKey(account)
    return try await write("a recovery code of \(account.username)") { db in
      try db.change(
        "DELETE FROM recovery_codes WHERE realm_key = ? AND name_key = ? AND kind = ? AND hash = ?",
        [key.realm, key.name, kind, Data(hash)]) == 1
    }
  }
}
