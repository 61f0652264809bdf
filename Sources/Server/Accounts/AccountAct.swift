package import JourneyStore
package import SecurityEvents

/// Something that may happen to an account.
///
/// All decisions about an act are here, whichever door it comes through: REST, a page, a node, a script, a command.
/// `docs/accounts.md` has the table, made from these declarations.
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

  /// Whether it changes what signs the account in, lets somebody get in again, or gives it power: then the actor's proof has to be as fresh
  /// and strong as ``FactorChangePolicy`` says.
  package var changesFactors: Bool {
    switch self {
    case .changeMail, .changePassword, .resetPassword, .grantRole, .addMethod, .removeMethod, .resetMethods,
      .skipMethods, .makeRecoveryCodes, .changeLinks, .changeSecurityQuestions, .delete:
      true
    default: false
    }
  }

  /// What it is, for people, and the event that reports it.
  private var report: (words: String, event: SecurityEvent.Kind) {
    switch self {
    case .create: ("create an account", .accountCreated)
    case .changeAttributes: ("change attributes", .accountChanged)
    case .changeMail: ("change the mail address", .accountChanged)
    case .confirmMail: ("confirm a mail address", .mailConfirmed)
    case .changePassword: ("change one's password", .passwordChanged)
    case .resetPassword: ("set somebody's password", .passwordReset)
    case .setPasswordState: ("say that a password ends, or must be changed", .accountChanged)
    case .activate: ("activate", .accountActivated)
    case .deactivate: ("deactivate", .accountDeactivated)
    case .unlock: ("lift locks", .lockLifted)
    case .grantRole: ("grant a role", .roleGranted)
    case .revokeRole: ("revoke a role", .roleRevoked)
    case .addMethod: ("add a device or code", .deviceAdded)
    case .renameMethod: ("rename a device", .deviceRenamed)
    case .removeMethod: ("remove a device", .deviceRemoved)
    case .resetMethods: ("remove all devices of a kind", .devicesReset)
    case .skipMethods: ("do without a kind of device", .accountChanged)
    case .makeRecoveryCodes: ("make recovery codes", .recoveryCodesMade)
    case .changeLinks: ("link a provider, or end that", .accountChanged)
    case .changeSecurityQuestions: ("set security questions", .accountChanged)
    case .endSessions: ("end sessions", .sessionEnded)
    case .certifyKey: ("get an SSH certificate", .sshCertificateIssued)
    case .revokeCertificates: ("revoke SSH certificates", .sshCertificatesRevoked)
    case .delete: ("delete the account", .accountDeleted)
    }
  }

  package var words: String { report.words }
  package var event: SecurityEvent.Kind { report.event }

  /// What it ends.
  package var ends: Ending {
    switch self {
    case .changePassword: .otherSessions
    case .resetPassword, .deactivate, .grantRole, .delete, .endSessions: .sessions
    default: .nothing
    }
  }

  /// Sessions, and with them what they lead to: grants, persistent cookies, running journeys that had accepted the old password. SSH
  /// certificates are revoked with either, and with a single session that another one ends: their person gets another one. Only who signs out
  /// of a session of their own keeps them.
  package enum Ending: String, Sendable, Hashable {
    case nothing
    case otherSessions
    case sessions
  }
}

/// A way to reach ``Accounts``. Each door only parses the request and shows the result.
package enum AccountDoor: String, Sendable, Hashable, CaseIterable {
  case rest = "REST"
  case accountPages = "my account"
  case administrationPages = "administration"
  case nodes = "nodes"
  case scripts = "scripts"

  /// `sealring … --data`, on the server's machine. With `--server` a command goes by REST.
  case commands = "commands on the data"
}

extension AccountAct {
  /// The doors that lead to it.
  package var doors: Set<AccountDoor> {
    switch self {
    case .create: [.rest, .administrationPages, .nodes, .scripts]
    case .changeAttributes, .changeMail: [.rest, .nodes, .scripts]
    case .confirmMail, .addMethod: [.nodes]
    case .changePassword: [.rest, .accountPages, .nodes, .scripts]
    case .resetPassword: [.rest, .administrationPages, .nodes, .scripts, .commands]
    case .setPasswordState, .grantRole, .revokeRole: [.rest, .administrationPages]
    case .activate, .deactivate: [.rest, .administrationPages, .nodes, .scripts]
    case .unlock: [.rest, .administrationPages, .nodes, .commands]
    case .renameMethod: [.rest, .accountPages]
    case .removeMethod: [.rest, .accountPages, .administrationPages]
    case .resetMethods: [.rest, .administrationPages]
    case .skipMethods: [.rest, .nodes]
    case .makeRecoveryCodes: [.accountPages, .nodes]
    case .changeLinks: [.rest, .nodes, .scripts]
    case .changeSecurityQuestions: [.nodes, .scripts]
    case .endSessions: [.rest, .accountPages, .administrationPages]
    case .certifyKey: [.rest]
    case .revokeCertificates: [.rest, .commands]
    case .delete: [.rest, .administrationPages, .scripts]
    }
  }

  /// The table of `docs/accounts.md`.
  package static var table: String {
    var lines = [
      "| Act | Account itself | Others need | Changes factors | Ends | Event | Doors |",
      "|---|---|---|---|---|---|---|",
    ]
    for act in allCases {
      let ends =
        switch act.ends {
        case .nothing: ""
        case .otherSessions: "other sessions"
        case .sessions: "all sessions"
        }
      let doors = AccountDoor.allCases.filter(act.doors.contains).map(\.rawValue).joined(separator: ", ")
      let others = act.capability.map { $0 == .support ? "help desk" : "administrator" } ?? "–"
      lines.append(
        "| \(act.words) | \(act.isForOwner ? "yes" : "–") | \(others) | \(act.changesFactors ? "yes" : "") | \(ends) | "
          + "`\(act.event.rawValue)` | \(doors) |"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
