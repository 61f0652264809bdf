import ArgumentParser
import Foundation
import PingOrchestrate
import StrictJSON

struct SessionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "Sign in for later commands, see where you are signed in, and sign out.",
    discussion: """
      The session is kept encrypted in the client's state folder and is sent only to the server and realm that gave it. Commands that \
      need you signed in use it as long as it is valid, instead of asking for the password.
      """,
    subcommands: [Login.self, WhoAmI.self, List.self, Logout.self], defaultSubcommand: WhoAmI.self)

  struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sign in with a journey, and keep the session on this device.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "The journey to sign in with.")
    var journey = "Login"

    @Option(help: "Your user name.")
    var username: String = CurrentSettings.text("user")

    @Flag(help: "Print the result as JSON; the session's token is not in it.")
    var json = false

    func validate() throws { try CurrentSettings.require(username: username) }

    func run() async throws {
      let player = try device.player(at: server, for: username, secrets: try await secrets.load())
      let token = try await player.token(by: journey)
      let (session, information) = try await server.keepSession(token, of: username)
      if json {
        Output.json(.object(SessionCommand.record(information, server)))
      } else {
        Output.line(
          "Signed in as \(printable(session.username)) at \(printable(server.baseAddress)), realm \(printable(server.realm))."
        )
        if let end = SessionCommand.end(of: information) {
          Output.remark("The session ends \(Times.text(end)) at the latest, or with: sealring session logout")
        }
      }
    }
  }

  struct WhoAmI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "whoami", abstract: "Show who is signed in at this server and realm.",
      discussion: "Exit code 1 when nobody is.")

    @OptionGroup var server: ServerOptions

    @Option(help: "Whose session, when several are kept.")
    var username: String?

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let session = try await SessionCommand.session(server, username)
      let information = try await SessionCommand.orSignedOut(session, server) {
        try await $0.sessionInformation()
      }
      if output.json { return Output.json(.object(SessionCommand.record(information, server))) }
      Output.line(printable(information["username"]?.stringValue ?? session.username))
      Output.remark("at \(printable(server.baseAddress)), realm \(printable(server.realm))")
      if let level = information["properties"]?["AuthLevel"]?.stringValue {
        Output.remark("authentication level \(printable(level))")
      }
      if let end = SessionCommand.end(of: information) { Output.remark("until \(Times.text(end))") }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List an account's sessions at the server: your own or, as an administrator, anyone's.")

    @OptionGroup var server: ServerOptions

    @Option(help: "Whose sessions. Default: your own.")
    var username: String?

    @Option(
      help: """
        The user whose session makes the request, when several are kept, such as an administrator of the realm. With --username and no \
        session in the realm, a session of the root realm is used, or amAdmin with the password in SEALRING_ADMIN_PASSWORD.
        """)
    var by: String?

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let (wanted, sessions) = try await sessions()
      func time(_ head: String, _ member: String) -> Column<JSONValue> {
        Column(head, time: { SessionCommand.date($0[member]) })
      }
      output.records(
        sessions,
        [
          Column("USER", of: "username"), time("LAST USED", "latestAccessTime"),
          time("ENDS WHEN IDLE", "maxIdleExpirationTime"), time("ENDS", "maxSessionExpirationTime"),
        ], none: "\(printable(wanted)) has no sessions.")
    }

    /// The account, and its sessions.
    private func sessions() async throws -> (String, [JSONValue]) {
      var root = server
      root.realm = "root"
      if let username, try await server.keptSession(of: by) == nil {
        if let kept = try await root.keptSession(of: by) {
          let found = try await SessionCommand.orSignedOut(kept, server) {
            try await $0.sessions(of: username)
          }
          return (username, found)
        }
        if let password = try Environment.configuredAdministratorPassword() {
          let client = try await AdministrationClient.signIn(
            server: server, name: by ?? "amAdmin", password: password)
          return try await ending({ await client.signOut() }) {
            (username, try await client.sessions(of: username))
          }
        }
      }
      let session = try await SessionCommand.session(server, by)
      let wanted = username ?? session.username
      return (
        wanted, try await SessionCommand.orSignedOut(session, server) { try await $0.sessions(of: wanted) }
      )
    }
  }

  struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End the session on the server, and forget it here.",
      discussion:
        "When the server cannot be reached, the session is kept and the exit code is 1; --local forgets it anyway."
    )

    @OptionGroup var server: ServerOptions

    @Option(help: "Whose session, when several are kept.")
    var username: String?

    @Flag(help: "Forget the session here without telling the server.")
    var local = false

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let session = try await SessionCommand.session(server, username)
      let wasOpen =
        local ? true : try await AdministrationClient(server: server, token: session.token).logout()
      try await KeptSessions().forget(session)
      let who = printable(session.username)
      output.done(
        local
          ? "Forgot the session of \(who); the server ends it by itself later."
          : wasOpen ? "\(who) is signed out." : "The session of \(who) had ended before.",
        [
          "username": .string(session.username), "server": .string(session.server),
          "realm": .string(session.realm), "endedAtServer": .bool(!local && wasOpen),
        ])
    }
  }

  /// The kept session for a command.
  fileprivate static func session(_ server: ServerOptions, _ username: String?) async throws -> KeptSession {
    guard let session = try await server.keptSession(of: username) else {
      let who = username.map { printable($0) } ?? "Nobody"
      throw CommandFailure.notFound(
        "\(who) is \(username == nil ? "" : "not ")signed in at \(printable(server.baseAddress)), realm "
          + "\(printable(server.realm)). Sign in with `sealring session login`."
      )
    }
    return session
  }

  /// Runs `body`; forgets the session if the server no longer knows it.
  fileprivate static func orSignedOut<Result>(
    _ session: KeptSession, _ server: ServerOptions, _ body: (AdministrationClient) async throws -> Result
  ) async throws -> Result {
    do { return try await body(AdministrationClient(server: server, token: session.token)) } catch let failure
      as CommandFailure
      where failure.code == .refused
    {
      try await KeptSessions().forget(session)
      throw CommandFailure.expired(
        "The session of \(printable(session.username)) has ended. Sign in again with `sealring session login`."
      )
    }
  }

  fileprivate static func date(_ value: JSONValue?) -> Date? {
    value?.stringValue.flatMap { try? Date($0, strategy: .iso8601) }
  }

  fileprivate static func end(of information: JSONValue) -> Date? {
    date(information["maxSessionExpirationTime"])
  }

  fileprivate static func record(_ information: JSONValue, _ server: ServerOptions) -> JSONObject {
    var object: JSONObject = ["server": .string(server.baseAddress), "realm": .string(server.realm)]
    for name in ["username", "latestAccessTime", "maxIdleExpirationTime", "maxSessionExpirationTime"] {
      object[name] = information[name] ?? .null
    }
    object["authLevel"] = information["properties"]?["AuthLevel"] ?? .null
    object["journey"] = information["properties"]?["Service"] ?? .null
    return object
  }
}
