public import DeviceKeys
public import WebAuthnAuthenticator

/// Talks to the person while a security key is used. A security key has no display, so its touch agrees to what is shown here.
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

/// What a security key is asked to do.
public struct SecurityKeyUse: Sendable, Hashable {
  public enum Purpose: Sendable, Hashable {
    case register
    case signIn
  }

  public let purpose: Purpose
  /// The key's file and the name that it reports.
  public let key: String
  public let relyingPartyID: String
  /// The account's name at the server for a registration; `""` otherwise.
  public let userName: String
  /// The server and realm that ask, as the device knows them.
  public let scope: CredentialScope?
}

/// A question for a security key's PIN.
public struct SecurityKeyPINQuestion: Sendable, Hashable {
  public let use: SecurityKeyUse
  /// How many wrong PINs the key still accepts; `nil` when it does not say.
  public let triesLeft: Int?
  /// Whether the last PIN was wrong.
  public let isRepeated: Bool
}

/// An account that a security key knows, with names as the key reports them.
public struct SecurityKeyAccount: Sendable, Hashable {
  /// The server's id of the account.
  public let userHandle: [UInt8]
  /// `""` when the key does not say.
  public let userName: String
  public let userDisplayName: String
}
