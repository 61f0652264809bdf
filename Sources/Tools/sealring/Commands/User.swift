import ArgumentParser
import BindingFormats
import PasswordRules
import StrictJSON

struct User: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Accounts: add, show, list, change, lock out, delete.",
    discussion: """
      All but unlock, and passwd with --data, sign an administrator in for the duration of the command. The administrator's password comes \
      from SEALRING_ADMIN_PASSWORD, else with --password-stdin from the first line of standard input, else from a prompt.
      """,
    subcommands: [
      Add.self, List.self, Show.self, Passwd.self, Enable.self, Disable.self, Delete.self, Unlock.self,
      Import.self,
    ])

  /// Options for signing an administrator in.
  struct Administration: ParsableArguments {
    @OptionGroup var server: ServerOptions

    @Option(help: "The administrator's name.")
    var admin = "amAdmin"

    @Option(
      help: "The realm that the administrator's account is in. Roles of the root realm count in all realms.")
    var adminRealm = "root"

    @Flag(
      help:
        "Read passwords from standard input, one a line: the administrator's (unless SEALRING_ADMIN_PASSWORD is set), then the user's."
    )
    var passwordStdin = false

    /// Runs `body` with an administrator's session, and then ends the session.
    func signedIn<Result>(_ body: (AdministrationClient) async throws -> Result) async throws -> Result {
      var place = server
      place.realm = RealmPath(adminRealm).name
      if try Environment.configuredAdministratorPassword() == nil,
        let kept = await place.signedInToken(of: admin)
      {
        return try await body(AdministrationClient(server: server, token: kept))
      }
      let client = try await signIn()
      return try await ending({ await client.signOut() }) { try await body(client) }
    }

    /// Runs `body` like ``signedIn(_:)``, and explains a conflict.
    ///
    /// - Parameter what: the thing that must not exist yet.
    func adding<Result>(
      _ what: String, _ body: (AdministrationClient) async throws -> Result
    ) async throws -> Result {
      do { return try await signedIn(body) } catch let failure as CommandFailure
        where failure.code == .conflict
      {
        throw CommandFailure.conflict("Realm \(server.realm) has an \(what) already. Choose another name.")
      }
    }

    private func signIn() async throws -> AdministrationClient {
      let password: String
      if let given = try Environment.configuredAdministratorPassword() {
        password = given
      } else {
        // The server is probed first, so that nobody types a password in vain.
        if !passwordStdin { _ = try await ServerProbe.ask(server) }
        password = try await secret(for: admin)
      }
      do {
        return try await AdministrationClient.signIn(
          server: server, name: admin, password: password, realm: adminRealm)
      } catch let failure as CommandFailure where failure.code == .refused {
        throw CommandFailure(
          "\(failure.description) The password of \(printable(admin)) came from \(try passwordSource); the one that was set last is valid. "
            + "If it is lost, set a new one on the server's machine: sealring user passwd \(printable(admin)) --realm \(printable(adminRealm)) --data DIR",
          code: failure.code)
      }
    }

    /// The source of the administrator's password, for messages.
    private var passwordSource: String {
      get throws {
        guard try Environment.configuredAdministratorPassword() != nil else {
          return passwordStdin ? "standard input" : "the prompt"
        }
        guard Environment.administratorPassword == nil else { return "SEALRING_ADMIN_PASSWORD" }
        return "the file \(printable(CurrentSettings.givenText("admin-password-file") ?? "of the settings"))"
      }
    }

    /// A new password: the next line of standard input, or typed twice.
    func newPassword(for name: String) async throws -> String {
      guard !passwordStdin else { return try await secret(for: name) }
      Output.remark(
        "The new password: at least 8 characters; common ones, and ones\nbased on the name, are refused.")
      for _ in 1...3 {
        let first = try await secret(for: name)
        // Passwords that every server refuses need not be typed twice.
        if let fault = PasswordPolicy().faults(in: first, context: [name]).first {
          Output.remark(sentence(fault.description))
          continue
        }
        guard let again = try await HiddenPrompt.ask("The same again: ") else { continue }
        if first.utf8.elementsEqual(again.utf8) { return first }
        Output.remark("The two passwords differ.")
      }
      throw CommandFailure.cancelled("None of three passwords could be used. Nothing was changed.")
    }

    /// The next line of standard input, or the answer to a prompt.
    func secret(for name: String) async throws -> String {
      let typed =
        passwordStdin
        ? try await StandardInput.shared.nextLine()
        : try await HiddenPrompt.ask("Password for \(printable(name)): ")
      guard let typed, !typed.isEmpty else {
        throw CommandFailure(
          "No password was given for \(printable(name)). Type it at the prompt, or pass it with --password-stdin.",
          code: passwordStdin ? .usage : .cancelled)
      }
      return typed
    }
  }

  /// The account that an administrator changes.
  struct Account: ParsableArguments {
    @OptionGroup var administration: Administration

    @Argument(help: "The account's name.")
    var username: String

    var realm: String { administration.server.realm }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an account.",
      discussion:
        "The password follows the server's policy: at least 8 characters (--password-minimum of the server); common ones, and ones "
        + "based on the name, are refused."
    )

    @OptionGroup var administration: Administration

    @Argument(help: "The new account's name.")
    var username: String

    @Option(help: "The account's mail address.")
    var mail: String?

    @OptionGroup var result: ResultOptions

    func run() async throws {
      var account: JSONObject = ["username": .string(username)]
      if let mail { account["mail"] = [.string(mail)] }
      try await administration.adding("account \(printable(username))") { client in
        // A trial comes first, so that nobody types a password in vain.
        try await client.createUser(account, isTrial: true)
        account["userpassword"] = .string(try await administration.newPassword(for: username))
        try await client.createUser(account)
      }
      result.done(
        "Added \(printable(username)) to realm \(administration.server.realm).",
        ["username": .string(username), "realm": .string(administration.server.realm), "added": true])
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the realm's accounts.")

    @OptionGroup var administration: Administration
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let users = try await administration.signedIn { try await $0.users() }
      output.records(
        users,
        [
          Column("NAME", of: "username"), Column("STATUS") { AccountState.text($0) },
          Column("ROLES") { AccountState.roles($0) }, Column("MAIL") { $0["mail"]?[0]?.stringValue },
        ])
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete an account with its devices and sessions.")

    @OptionGroup var account: Account
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
      try await confirmation.ask(
        "Delete \(printable(account.username)) of realm \(account.realm), with all devices?")
      try await account.administration.signedIn { try await $0.deleteUser(account.username) }
      result.done(
        "Deleted \(printable(account.username)) from realm \(account.realm).",
        ["username": .string(account.username), "realm": .string(account.realm), "deleted": true])
    }
  }
}
