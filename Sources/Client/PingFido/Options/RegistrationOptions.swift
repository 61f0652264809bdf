public import Foundation

/// What a server asks of a registration, checked.
public struct RegistrationOptions: Sendable, Hashable {
  /// The bytes that are signed along; 1 to 1024.
  public var challenge: [UInt8]

  /// The relying party's id, a domain; `""` when the server leaves it to be its own host.
  public var relyingPartyID: String
  public var relyingPartyName: String

  /// The user handle is the UTF-8 bytes of this text as it stands.
  public var userID: String
  public var userName: String
  public var displayName: String

  /// COSE numbers in the server's order, unknown ones included.
  public var algorithms: [Int]

  /// Ids of credentials that must not be on this device already.
  public var excludeCredentials: [[UInt8]]
  public var userVerification: UserVerificationRequirement
  public var requireResidentKey: Bool

  /// `nil` when either kind of authenticator will do.
  public var authenticatorAttachment: AuthenticatorAttachment?
  public var attestation: AttestationConveyancePreference

  /// Milliseconds.
  public var timeout: Int

  /// Reads the data of the server's callback, in the form of any version of AM.
  ///
  /// - Throws: ``OptionsError``.
  public init(callbackData: [String: Any]) throws(OptionsError) {
    self = try OptionsReader(object: callbackData).registrationOptions()
  }

  init(
    challenge: [UInt8], relyingPartyID: String, relyingPartyName: String, userID: String, userName: String,
    displayName: String, algorithms: [Int], excludeCredentials: [[UInt8]],
    userVerification: UserVerificationRequirement, requireResidentKey: Bool,
    authenticatorAttachment: AuthenticatorAttachment?, attestation: AttestationConveyancePreference,
    timeout: Int
  ) {
    self.challenge = challenge
    self.relyingPartyID = relyingPartyID
    self.relyingPartyName = relyingPartyName
    self.userID = userID
    self.userName = userName
    self.displayName = displayName
    self.algorithms = algorithms
    self.excludeCredentials = excludeCredentials
    self.userVerification = userVerification
    self.requireResidentKey = requireResidentKey
    self.authenticatorAttachment = authenticatorAttachment
    self.attestation = attestation
    self.timeout = timeout
  }

  /// The user handle.
  public var userHandle: [UInt8] { Array(userID.utf8) }
}

/// What a server asks of an authentication, checked.
public struct AuthenticationOptions: Sendable, Hashable {
  /// The bytes that are signed along; 1 to 1024.
  public var challenge: [UInt8]

  /// The relying party's id, a domain; `""` when the server leaves it to be its own host.
  public var relyingPartyID: String

  /// Ids of the credentials that will do; empty for any discoverable one.
  public var allowCredentials: [[UInt8]]
  public var userVerification: UserVerificationRequirement

  /// Milliseconds.
  public var timeout: Int

  /// Reads the data of the server's callback, in the form of any version of AM.
  ///
  /// - Throws: ``OptionsError``.
  public init(callbackData: [String: Any]) throws(OptionsError) {
    self = try OptionsReader(object: callbackData).authenticationOptions()
  }

  init(
    challenge: [UInt8], relyingPartyID: String, allowCredentials: [[UInt8]],
    userVerification: UserVerificationRequirement, timeout: Int
  ) {
    self.challenge = challenge
    self.relyingPartyID = relyingPartyID
    self.allowCredentials = allowCredentials
    self.userVerification = userVerification
    self.timeout = timeout
  }
}

/// Why the server's options cannot be used.
public struct OptionsError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  public let reason: String

  /// The member that is wrong, when it is one of the options' own.
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
