package import JourneyStore
package import SecurityEvents

/// An operation on an account.
///
/// All decisions about an act are made here, whether it comes by REST, a page, a node, a script or a command. A test makes the table in
/// `docs/accounts.md` from these declarations.
package enum AccountAct: String, Sendable, Hashable, CaseIterable {
  case create
  case changeAttributes
  case changeMail
  case confirmMail
  case changePassword
  case resetPassword
  case setPasswordState
  case activate
  case deactivate
  case unlock
  case grantRole
  case revokeRole
  case addMethod
  case renameMethod
  case removeMethod
  case resetMethods
  case skipMethods
  case makeRecoveryCodes
  case changeLinks
  case changeSecurityQuestions
  case endSessions
  case certifyKey
  case revokeCertificates
  case delete

  /// Whether the account itself may do it without a role.
  package var isForOwner: Bool {
    switch self {
    case .create, .resetPassword, .setPasswordState, .activate, .deactivate, .unlock, .grantRole, .revokeRole:
      false
    default: true
    }
  }

  /// The role that others need over the account; `nil` when nobody else may.
  ///
  /// A role counts only in a session that has proven as much as its account's factors allow (``FactorChangeCheck/requireStrength(of:)``).
  package var capability: Capability? {
    switch self {
    case .resetPassword, .unlock, .removeMethod, .resetMethods, .endSessions, .revokeCertificates: .support
    case .changePassword, .confirmMail, .addMethod, .makeRecoveryCodes, .certifyKey: nil
    default: .administrate
    }
  }

  /// Whether the act changes the ways to sign in, lets somebody get in again, or grants power. Then the actor's proof has to be as fresh
  /// and strong as ``FactorChangePolicy`` says.
  package var changesFactors: Bool {
    switch self {
    case .changeMail, .changePassword, .resetPassword, .grantRole, .addMethod, .removeMethod, .resetMethods,
      .skipMethods, .makeRecoveryCodes, .changeLinks, .changeSecurityQuestions, .delete:
      true
    default: false
    }
  }

  /// The event that reports the act.
  package var event: SecurityEvent.Kind {
    switch self {
    case .create: .accountCreated
    case .changeAttributes, .changeMail, .setPasswordState, .skipMethods, .changeLinks,
      .changeSecurityQuestions:
      .accountChanged
    case .confirmMail: .mailConfirmed
    case .changePassword: .passwordChanged
    case .resetPassword: .passwordReset
    case .activate: .accountActivated
    case .deactivate: .accountDeactivated
    case .unlock: .lockLifted
    case .grantRole: .roleGranted
    case .revokeRole: .roleRevoked
    case .addMethod: .deviceAdded
    case .renameMethod: .deviceRenamed
    case .removeMethod: .deviceRemoved
    case .resetMethods: .devicesReset
    case .makeRecoveryCodes: .recoveryCodesMade
    case .endSessions: .sessionEnded
    case .certifyKey: .sshCertificateIssued
    case .revokeCertificates: .sshCertificatesRevoked
    case .delete: .accountDeleted
    }
  }
}
