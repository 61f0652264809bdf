import ArgumentParser
import Foundation
import StrictJSON

/// `sealring user`: accounts, as the administrator.
struct User: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Add, list, delete or unlock accounts.",
    discussion: """
      All but unlock sign an administrator in, whose password comes from SEALRING_ADMIN_PASSWORD, else with \
      --password-stdin from the first line of standard input, else from a prompt.
      """,
    subcommands: [Add.self, List.self, Delete.self, Unlock.self])

  /// Signs the administrator in.
  struct Administration: ParsableArguments {
    @OptionGroup var server: ServerOptions

    @Option(help: "The administrator's name.")
    var admin = "amAdmin"

    @Flag(
      help:
        "Read passwords from standard input, one a line: the administrator's (unless SEALRING_ADMIN_PASSWORD is set), then the user's."
    )
    var passwordStdin = false

    func signIn() async throws -> AdministrationClient {
      let password: String
      if let given = Environment.administratorPassword {
        password = given
      } else {
        password = try await secret(for: admin)
      }
      return try await AdministrationClient.signIn(server: server, name: admin, password: password)
    }

    /// The next line of standard input, or what is typed at the prompt.
    func secret(for name: String) async throws -> String {
      let typed =
        passwordStdin
        ? try await StandardInput.shared.nextLine()
        : try await HiddenPrompt.ask("Password for \(printable(name)): ")
      guard let typed, !typed.isEmpty else {
        throw CommandFailure(
          "There is no password for \(printable(name)). Type it at the prompt, or pass it with --password-stdin."
        )
      }
      return typed
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an account.",
      discussion:
        "The password follows the server's policy: at least 8 characters (--password-minimum of the server), none of those that are tried first, and not resting on the name."
    )

    @OptionGroup var administration: Administration

    @Argument(help: "The new account's name.")
    var username: String

    @Option(help: "The account's mail address.")
    var mail: String?

    func run() async throws {
      let client = try await administration.signIn()
      let password = try await administration.secret(for: username)
      try await client.createUser(username, password: password, mail: mail)
      Output.remark("Added \(printable(username)) to realm \(administration.server.realm).")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the realm's accounts.")

    @OptionGroup var administration: Administration

    @Flag(help: "Print the server's records as JSON.")
    var json = false

    func run() async throws {
      let users = try await administration.signIn().users()
      if json {
        Output.json(.array(users))
      } else {
        Output.table(
          head: ["NAME", "STATUS", "MAIL"],
          rows: users.map { user in
            [
              printable(user["username"]?.stringValue ?? ""), user["inetUserStatus"]?.stringValue ?? "",
              printable(user["mail"]?[0]?.stringValue ?? ""),
            ]
          })
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete an account with its devices and sessions.")

    @OptionGroup var administration: Administration

    @Argument(help: "The account's name.")
    var username: String

    func run() async throws {
      try await administration.signIn().deleteUser(username)
      Output.remark("Deleted \(printable(username)) from realm \(administration.server.realm).")
    }
  }
}
