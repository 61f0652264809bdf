import ArgumentParser

/// The place where an administrator's command works: a server's own folder, or a server that it contacts.
struct DataOrServer: ParsableArguments {
  @OptionGroup var data: Audit.DataOptions

  @Option(help: "Ask this server instead, such as https://id.example.com/am, with a session of --admin.")
  var server: String?

  @Option(help: "Who signs in at --server.")
  var admin = "amAdmin"

  @Option(help: "The realm that this account is in. Roles of the root realm count in all realms.")
  var adminRealm = "root"

  @Flag(help: "Read that account's password from standard input, unless SEALRING_ADMIN_PASSWORD is set.")
  var passwordStdin = false

  @Flag(help: "Allow a server without TLS on another machine. For tests.")
  var allowHTTP = false

  func validate() throws {
    if server != nil, data.data != nil || data.database != nil {
      throw ValidationError("--data and --database cannot be combined with --server.")
    }
    _ = try administration(realm: "root")
  }

  /// The connection to the server for `realm`; `nil` when the folder is used.
  func administration(realm: String) throws -> User.Administration? {
    guard let server else { return nil }
    var arguments = [
      "--server=\(server)", "--realm=\(realm)", "--admin=\(admin)", "--admin-realm=\(adminRealm)",
    ]
    if passwordStdin { arguments.append("--password-stdin") }
    if allowHTTP { arguments.append("--allow-http") }
    return try User.Administration.parse(arguments)
  }
}
