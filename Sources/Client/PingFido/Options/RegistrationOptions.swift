public import Foundation

/// A server's options for a registration, checked.
public struct RegistrationOptions: Sendable, Hashable {
  /// The challenge to sign, 1 to 1024 bytes.
  public var challenge: [UInt8]

  /// The relying party's id, a domain; `""` for the server's own host.
  public var relyingPartyID: String
  public var relyingPartyName: String

  /// The user handle consists of this text's UTF-8 bytes.
  public var userID: String
  public var userName: String
  public var displayName: String

  /// COSE numbers in the server's order, unknown ones included.
  public var algorithms: [Int]

  /// Ids of credentials that must not exist on this device.
  public var excludeCredentials: [[UInt8]]
  public var userVerification: UserVerificationRequirement
  public var requireResidentKey: Bool

  /// `nil` when either kind of authenticator is acceptable.
  public var authenticatorAttachment: AuthenticatorAttachment?
  public var attestation: AttestationConveyancePreference

  /// The time limit in milliseconds.
  public var timeout: Int
}

extension RegistrationOptions {
  /// Reads the data of the server's callback, in the format of any AM version.
  ///
  /// - Throws: ``OptionsError``.
  public init(callbackData: [String: Any]) throws(OptionsError) {
    self = try OptionsReader(object: callbackData).registrationOptions()
  }

  /// The user handle.
  public var userHandle: [UInt8] { Array(userID.utf8) }
}

/// A server's options for an authentication, checked.
public struct AuthenticationOptions: Sendable, Hashable {
  /// The challenge to sign, 1 to 1024 bytes.
  public var challenge: [UInt8]

  /// The relying party's id, a domain; `""` for the server's own host.
  public var relyingPartyID: String

  /// Ids of the acceptable credentials; empty for any discoverable one.
  public var allowCredentials: [[UInt8]]
  public var userVerification: UserVerificationRequirement

  /// The time limit in milliseconds.
  public var timeout: Int
}

extension AuthenticationOptions {
  /// Reads the data of the server's callback, in the format of any AM version.
  ///
  /// - Throws: ``OptionsError``.
  public init(callbackData: [String: Any]) throws(OptionsError) {
    self = try OptionsReader(object: callbackData).authenticationOptions()
  }
}

/// Why the server's options cannot be used.
public struct OptionsError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  public let reason: String

  /// The name of the wrong member, when it is known.
  let member: String?

  init(_ reason: String, member: String? = nil) {
    self.reason = reason
    self.member = member
  }

  public var description: String { "The server's options cannot be used: \(reason)." }

  public var errorDescription: String? { description }

  public var failureReason: String? { "\(reason)." }

  public var recoverySuggestion: String? { "Check the configuration of the server's WebAuthn node." }
}
