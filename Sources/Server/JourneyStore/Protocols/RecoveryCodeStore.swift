public import BindingFormats

/// Codes that stand in for a lost device, each usable once. Only hashes are stored.
public protocol RecoveryCodeStore: Sendable {
  /// Replaces the user's codes of that kind (`PUSH`, `OATH`, `WEB_AUTHN`). Throws ``StoreError/missing(_:)`` without the user.
  ///
  /// - Parameter id: the id that the account must have; `nil` for whoever has the name.
  func setRecoveryCodes(_ hashes: [[UInt8]], kind: String, of account: UniversalID, id: String?) async throws

  /// Uses a code up: one conditional write, `true` for exactly one caller.
  func useRecoveryCode(_ hash: [UInt8], kind: String, of account: UniversalID) async throws -> Bool

  /// How many unused codes the user has, by kind; kinds without any are left out.
  func recoveryCodes(of account: UniversalID) async throws -> [String: Int]
}

extension RecoveryCodeStore {
  /// Replaces the codes of whoever has the name.
  public func setRecoveryCodes(_ hashes: [[UInt8]], kind: String, of account: UniversalID) async throws {
    try await setRecoveryCodes(hashes, kind: kind, of: account, id: nil)
  }
}
