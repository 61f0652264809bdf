import ArgumentParser
import StrictJSON

struct AdminCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Roles: list, grant, revoke.",
    discussion: """
      administrator  everything, in the account's realm; in the root realm, everywhere
      helpdesk       new passwords, locks, sessions and lost devices of accounts without a role
      auditor        reads accounts, devices, sessions, evidence and decisions; changes nothing

      Administrators grant roles, and not to themselves. The last active administrator of the root realm stays. A role that is revoked \
      ends with the account's next request.
      """,
    subcommands: [List.self, Grant.self, Revoke.self], defaultSubcommand: List.self)

  enum Role: String, ExpressibleByArgument, CaseIterable {
    case administrator, helpdesk, auditor
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the realm's accounts that have a role.")

    @OptionGroup var administration: User.Administration
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let users = try await administration.signedIn { try await $0.usersWithRoles() }
      output.records(
        users,
        [
          Column("NAME", of: "username"), Column("ROLES") { AccountState.roles($0) },
          Column("STATUS") { AccountState.text($0) },
        ],
        none:
          "Nobody in realm \(printable(administration.server.realm)) has a role. Administrators of the root realm rule it: --realm "
          + "root lists them."
      )
    }
  }

  struct Grant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give an account a role.")

    @OptionGroup var change: Change

    func run() async throws { try await change.make(isGrant: true) }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take a role from an account; its running sessions lose it at once.")

    @OptionGroup var change: Change

    func run() async throws { try await change.make(isGrant: false) }
  }

  /// The common part of granting and revoking.
  struct Change: ParsableArguments {
    @OptionGroup var account: User.Account

    @Argument(help: "The role.")
    var role: Role

    @OptionGroup var output: ResultOptions

    func make(isGrant: Bool) async throws {
      let answer = try await account.administration.signedIn {
        try await $0.changeRole(role.rawValue, of: account.username, isGrant: isGrant)
      }
      let roles = (answer["roles"]?.arrayValue ?? []).compactMap(\.stringValue)
      let list = roles.isEmpty ? "no role" : roles.joined(separator: ", ")
      output.done(
        "\(printable(account.username)) of realm \(printable(account.realm)) has \(printable(list)).",
        [
          "username": answer["username"] ?? .string(account.username), "realm": .string(account.realm),
          "roles": .array(roles.map { .string($0) }),
        ])
    }
  }
}
