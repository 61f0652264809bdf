import Assembly
import CommonFixtures
import Foundation
import SealringTesting
import StrictJSON
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `Examples/Screen`, as a program without a terminal, and a person with a phone, who decides on the server's page.
@Suite(.serialized) struct ExampleTests {
  private static let password = "correct horse 1"

  private static let clients = """
    {"clients": [{"client_id": "screen", "client_name": "Screen", "token_endpoint_auth_method": "none",
      "scope": "openid profile", "grant_types": ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]}]}
    """

  /// Types the code that the screen shows, and decides.
  private func decide(_ decision: String, code: String, on server: TestServer) async throws {
    let page = "\(server.address)/oauth2/alpha/device/user"
    let token = try await WebRequests.signIn("mira", Self.password, realm: "alpha", at: server.address)
    let headers = ["Cookie": "\(server.cookieName)=\(token)", "Origin": try #require(origin(of: server))]
    let question = try await WebRequests.text(page, headers: headers, form: "user_code=\(code)")
    #expect(question.contains("Screen") && question.contains(code))
    let ticket = try #require(question.firstMatch(of: /name="ticket" value="([^"]+)"/)?.1)
    _ = try await WebRequests.text(page, headers: headers, form: "ticket=\(ticket)&decision=\(decision)")
  }

  private func origin(of server: TestServer) -> String? {
    URL(string: server.address).map { "http://127.0.0.1:\($0.port ?? 0)" }
  }

  @Test(.timeLimit(.minutes(2)), arguments: [("allow", "Hello, mira!"), ("deny", "Somebody said no.")])
  func `the example shows a code, and does as the person decides`(decision: String, end: String) async throws
  {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "clients.json")
      try Data(Self.clients.utf8).write(to: file)
      try await TestServer.run(configure: {
        $0.openIDClients = file
        $0.clock = { Date() }
      }) { server in
        try await server.addUser("mira", password: Self.password)
        let screen = try RunningCommand(
          path: BuiltProgram.path("screen"), arguments: [],
          environment: SpawnedProgram.environment(["SCREEN_ISSUER": "\(server.address)/oauth2/alpha"]),
          input: "")
        let line = try #require(await screen.line(startingWith: "and type "))
        try await decide(decision, code: String(line.dropFirst("and type ".count)), on: server)
        let result = await screen.finish()
        #expect(result.status == 0 && result.output.contains(end), "\(result)")
      }
    }
  }
}

extension WebRequests {
  /// A page that a browser gets.
  static func text(_ url: String, headers: [String: String], form: String) async throws -> String {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = "POST"
    request.httpBody = Data(form.utf8)
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
  }
}
