public import DeviceKeys
public import WebAuthnAuthenticator

/// Speaks with the person while a security key is used. A security key has no display: what its touch agrees to is what is shown here.
///
/// The task is cancelled when nobody waits for the answer any more: take the question away then.
public protocol SecurityKeyPerson: Sendable {
  /// Shows that the key waits to be touched, and what the touch agrees to. Called on no particular thread, at most once for each attempt.
  func showTouch(for use: SecurityKeyUse)

  /// The key's PIN; `nil` when none was entered.
  func pin(for question: SecurityKeyPINQuestion) async -> PIN?

  /// The place of the account to sign in with in `accounts`; `nil` for none. The key has signed for each of them already.
  func choose(among accounts: [SecurityKeyAccount], for use: SecurityKeyUse) async -> Int?
}

/// What a security key is to do.
public struct SecurityKeyUse: Sendable, Hashable {
  public enum Purpose: Sendable, Hashable {
    case register
    case signIn
  }

  public let purpose: Purpose
  /// The key's file and what it calls itself.
  public let key: String
  public let relyingPartyID: String
  /// The account as the server calls it, when it registers one; `""` otherwise.
  public let userName: String
  /// Who asks, as the device knows it.
  public let scope: CredentialScope?
}

/// A question for a security key's PIN.
public struct SecurityKeyPINQuestion: Sendable, Hashable {
  public let use: SecurityKeyUse
  /// How many wrong PINs the key still takes; `nil` when it does not say.
  public let triesLeft: Int?
  /// Whether the last PIN was wrong.
  public let isRepeated: Bool
}

/// An account that a security key knows. The names are the key's words.
public struct SecurityKeyAccount: Sendable, Hashable {
  /// The server's id of the account.
  public let userHandle: [UInt8]
  /// `""` when the key does not say.
  public let userName: String
  public let userDisplayName: String
}
