public import BindingFormats

/// Codes that stand in for a lost device, each usable once. Only hashes are stored.
public protocol RecoveryCodeStore: Sendable {
  /// Replaces the user's codes of that kind (`PUSH`, `OATH`, `WEB_AUTHN`). Throws ``StoreError/missing(_:)`` without the user.
  func setRecoveryCodes(_ hashes: [[UInt8]], kind: String, of account: UniversalID) async throws

  /// Uses a code up: one conditional write, `true` for exactly one caller.
  func useRecoveryCode(_ hash: [UInt8], kind: String, of account: UniversalID) async throws -> Bool

  /// How many unused codes the user has, by kind; kinds without any are left out.
  func recoveryCodes(of account: UniversalID) async throws -> [String: Int]
}
