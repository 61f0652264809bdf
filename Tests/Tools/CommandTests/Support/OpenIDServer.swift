import CommonFixtures
import Foundation
import Assembly
import Testing

/// A server with OpenID Connect clients and the user mira.
enum OpenIDServer {
  static let password = "Correct horse battery 1"

  /// - Parameter clients: what `oidc client add` gets for each, its id first.
  static func run(
    clients: [[String]], _ body: (_ server: LocalServer, _ tool: CommandLineTool) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "clients.json")
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      for client in clients {
        let added = try await tool.run(
          ["oidc", "client", "add"] + client + ["--public", "--file", file.path(percentEncoded: false)])
        #expect(added.status == 0, "\(added.errors)")
      }
      let server = try await LocalServer.start(data: folder.appending(path: "server")) {
        $0.openIDClients = file
      }
      let user = try await tool.run(
        ["user", "add", "mira", "--password-stdin", "--server", server.address], input: password + "\n")
      #expect(user.status == 0, "\(user.errors)")
      try await body(server, tool)
      try await server.stop()
    }
  }
}
