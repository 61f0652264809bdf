import ArgumentParser
import Foundation
import Assembly
import PrivateFiles

/// The server's address, and its data folder.
struct AddressOptions: ParsableArguments, ServerOptionGroup {
  @Option(help: "Address to listen on.")
  var host = ServerConfiguration.standard.host

  @Option(help: "Port to listen on; 0 picks a free one.")
  var port = ServerConfiguration.standard.port

  @Option(
    help: """
      Address under which clients reach the server, such as https://id.example.com/am: it goes into enrolment codes. \
      With https, cookies are Secure and browsers are told to use https only. Default: the host that each request \
      names.
      """)
  var publicURL: String?

  @Option(
    help: "Folder of the database and the server's keys. Default: 'server' in the client's state folder.")
  var data: String?

  @Option(help: "Database address: sqlite:/path/to/folder or postgres://user@host/database.")
  var database: String?

  @Option(
    help: ArgumentHelp(
      """
      Where the server key is, if not in the data folder: file:PATH, env:NAME, credential:NAME, pkcs11:… (docs/keys.md). Repeatable, while the key is \
      rotated.
      """, valueName: "source"))
  var serverKey: [String] = []

  @Option(
    help: """
      Seconds that the tables of a PostgreSQL database may take to be brought up to date at the start, by this server or by \
      another one that it waits for (docs/operations.md).
      """)
  var migrationTimeout = Int(ServerConfiguration.standard.migrationTimeout)

  func validate() throws {
    try (0...65535).require(port, for: "--port")
    try (1...86400).require(migrationTimeout, for: "--migration-timeout", unit: " of seconds")
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.host = host
    configuration.port = port
    configuration.publicURL = publicURL
    configuration.dataDirectory =
      data.map { URL(filePath: $0) } ?? ClientHome.standard.directory.appending(path: "server")
    configuration.database = database
    configuration.serverKeys = serverKey
    configuration.migrationTimeout = TimeInterval(migrationTimeout)
  }
}
