import Accounts
import Foundation
import JourneyStore
import SecurityEvents
import Testing

/// A way to reach ``Accounts``. Each door only parses the request and shows the result.
enum AccountDoor: String, Sendable, Hashable, CaseIterable {
  case rest = "REST"
  case accountPages = "my account"
  case administrationPages = "administration"
  case nodes = "nodes"
  case scripts = "scripts"

  /// `sealring … --data`, on the server's machine. With `--server` a command goes by REST.
  case commands = "commands on the data"
}

extension AccountAct {
  /// What it is, for people.
  var words: String {
    switch self {
    case .create: "create an account"
    case .changeAttributes: "change attributes"
    case .changeMail: "change the mail address"
    case .confirmMail: "confirm a mail address"
    case .changePassword: "change one's password"
    case .resetPassword: "set somebody's password"
    case .setPasswordState: "say that a password ends, or must be changed"
    case .activate: "activate"
    case .deactivate: "deactivate"
    case .unlock: "lift locks"
    case .grantRole: "grant a role"
    case .revokeRole: "revoke a role"
    case .addMethod: "add a device or code"
    case .renameMethod: "rename a device"
    case .removeMethod: "remove a device"
    case .resetMethods: "remove all devices of a kind"
    case .skipMethods: "do without a kind of device"
    case .makeRecoveryCodes: "make recovery codes"
    case .changeLinks: "link a provider, or end that"
    case .changeSecurityQuestions: "set security questions"
    case .endSessions: "end sessions"
    case .certifyKey: "get an SSH certificate"
    case .revokeCertificates: "revoke SSH certificates"
    case .delete: "delete the account"
    }
  }

  /// What it ends.
  var ends: Ending {
    switch self {
    case .changePassword: .otherSessions
    case .resetPassword, .deactivate, .grantRole, .delete, .endSessions: .sessions
    default: .nothing
    }
  }

  /// Sessions, and with them what they lead to: grants, persistent cookies, running journeys that had accepted the old password. SSH
  /// certificates are revoked with either, and with a single session that another one ends: their person gets another one. Only who signs out
  /// of a session of their own keeps them.
  enum Ending: String, Sendable, Hashable {
    case nothing
    case otherSessions
    case sessions
  }

  /// The doors that lead to it.
  var doors: Set<AccountDoor> {
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
  static var table: String {
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

@Suite("The table of acts") struct AccountActTableTests {
  @Test func `the page on accounts has the table as the code has it`() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../docs/accounts.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.contains(AccountAct.table), "print AccountAct.table, and put it into \(page.path)")
  }

  @Test func `each act is reached by some door`() {
    for act in AccountAct.allCases { #expect(!act.doors.isEmpty, "\(act)") }
  }
}
