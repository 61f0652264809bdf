import Accounts
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JourneyNodes
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Pages of other origins")
struct CrossOriginTests {
  private static let app = "https://app.example.com"
  private static let authenticate = "/am/json/realms/root/realms/alpha/authenticate"

  /// What the server answers; by default to the question of a browser whether a page may start a journey.
  private func answer(
    _ rules: CrossOriginRules, path: String = authenticate, method: HTTPRequest.Method = .options,
    origin: [String] = [app], asked: String? = "POST", headers: String = "content-type, accept-api-version",
    realmURLs: [String: String] = [:]
  ) async throws -> TestResponse {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.administratorPassword = Secret("correct horse")
    configuration.crossOrigin = rules
    configuration.realmURLs = realmURLs
    configuration.factorChanges.standard = .any
    let server = try await SealringServer.make(configuration)
    var fields = HTTPFields()
    for value in origin { fields.append(HTTPField(name: .origin, value: value)) }
    if method == .options {
      fields[try #require(HTTPField.Name("Access-Control-Request-Method"))] = asked
      fields[try #require(HTTPField.Name("Access-Control-Request-Headers"))] = headers
    } else {
      fields[.contentType] = "application/json"
    }
    let sent = fields
    return try await server.application().test(.router) { client in
      try await client.execute(uri: path, method: method, headers: sent, body: nil) { $0 }
    }
  }

  private func header(_ name: String, of response: TestResponse) throws -> String? {
    response.headers[try #require(HTTPField.Name(name))]
  }

  private func rules(_ origins: [String: [String]], credentials: Bool = false) -> CrossOriginRules {
    var rules = CrossOriginRules()
    rules.origins = origins
    rules.allowsCredentials = credentials
    return rules
  }

  @Test func `a configured page may ask, and hears what it may do and for how long`() async throws {
    let answer = try await answer(rules(["": [Self.app]], credentials: true))
    #expect(answer.status == .noContent)
    #expect(try header("Access-Control-Allow-Origin", of: answer) == Self.app)
    #expect(try header("Access-Control-Allow-Credentials", of: answer) == "true")
    #expect(try header("Access-Control-Max-Age", of: answer) == "600")
    #expect(try header("Access-Control-Allow-Methods", of: answer)?.contains("POST") == true)
    #expect(try header("Access-Control-Allow-Headers", of: answer)?.contains("iPlanetDirectoryPro") == true)
    #expect(try header("Vary", of: answer)?.contains("Origin") == true)
  }

  @Test func `the answer itself, and a refusal too, can be read by the page that asked`() async throws {
    let answer = try await answer(rules(["": [Self.app]]), method: .post)
    #expect(try header("Access-Control-Allow-Origin", of: answer) == Self.app)
    #expect(try header("Access-Control-Allow-Credentials", of: answer) == nil)
    #expect(try header("Access-Control-Expose-Headers", of: answer)?.contains("DPoP-Nonce") == true)
    #expect(try header("Vary", of: answer)?.contains("Origin") == true)
  }

  @Test(arguments: [
    "null", "https://evil.example.com", "https://app.example.com.evil.com", "https://evilapp.example.com",
    "https://app.example.com:8443", "http://app.example.com", "https://APP.example.com",
    "https://app.example.com/",
    "https://app.example.com@evil.com", "https://app.example.com https://evil.com", "*", "",
  ])
  func `an origin that is not exactly a configured one gets nothing`(origin: String) async throws {
    let rules = rules(["": [Self.app]], credentials: true)
    for method in [HTTPRequest.Method.options, .post] {
      let answer = try await answer(rules, method: method, origin: [origin])
      #expect(try header("Access-Control-Allow-Origin", of: answer) == nil)
      #expect(try header("Access-Control-Allow-Credentials", of: answer) == nil)
      #expect(answer.status != .noContent)
      #expect(try header("Vary", of: answer)?.contains("Origin") == true)
    }
  }

  @Test func `two origins are none`() async throws {
    let answer = try await answer(rules(["": [Self.app]]), origin: [Self.app, "https://evil.example.com"])
    #expect(try header("Access-Control-Allow-Origin", of: answer) == nil)
  }

  @Test func `any origin means any but never with the person's cookies`() async throws {
    let answer = try await answer(rules(["": ["*"]]), origin: ["https://anyone.example.com"])
    #expect(try header("Access-Control-Allow-Origin", of: answer) == "*")
    #expect(try header("Access-Control-Allow-Credentials", of: answer) == nil)
    #expect(throws: ServerSetupError.self) { try rules(["": ["*"]], credentials: true).checked() }
    #expect(throws: ServerSetupError.self) { try rules(["alpha": ["*"]], credentials: true).checked() }
    #expect(throws: ServerSetupError.self) {
      try rules(["": ["http://app.example.com"]], credentials: true).checked()
    }
  }

  @Test(arguments: [
    "null", "https://*.example.com", "app.example.com", "https://app.example.com/path",
    "https://app.example.com:443",
    "https://user@app.example.com", "ftp://app.example.com", "",
  ])
  func `what is not exactly an origin cannot be configured`(text: String) {
    #expect(throws: ServerSetupError.self) { try rules(["": [text]]).checked() }
  }

  @Test func `an origin of one realm is not that of another`() async throws {
    let rules = rules(["alpha": [Self.app]])
    #expect(try header("Access-Control-Allow-Origin", of: try await answer(rules)) == Self.app)
    for path in ["/am/json/realms/root/authenticate", "/am/json/authenticate"] {
      #expect(try header("Access-Control-Allow-Origin", of: try await answer(rules, path: path)) == nil)
    }
    let query = try await answer(rules, path: "/am/json/authenticate?realm=/alpha")
    #expect(try header("Access-Control-Allow-Origin", of: query) == Self.app)
  }

  @Test func `methods and headers beyond the configured ones are not allowed`() async throws {
    var rules = rules(["": [Self.app]])
    #expect(try await answer(rules, asked: "DELETE").status == .methodNotAllowed)
    #expect(try await answer(rules, headers: "x-secret").status == .methodNotAllowed)
    rules.methods = ["GET"]
    #expect(try await answer(rules).status == .methodNotAllowed)
    rules.methods = ["POST"]
    rules.headers = ["X-Secret"]
    #expect(try await answer(rules, headers: "x-secret").status == .noContent)
    rules.headers = ["*"]
    #expect(throws: ServerSetupError.self) { try rules.checked() }
  }

  @Test func `pages, health and unknown paths stay this server's own, and without rules nothing changes`()
    async throws
  {
    let rules = rules(["": [Self.app]])
    for path in ["/am/", "/am/XUI/", "/health"] {
      #expect(try header("Access-Control-Allow-Origin", of: try await answer(rules, path: path)) == nil)
    }
    #expect(try await answer(rules, path: "/am/json/nothing").status == .notFound)
    let none = try await answer(CrossOriginRules())
    #expect(none.status == .methodNotAllowed)
    #expect(try header("Vary", of: none) == nil)
  }

  @Test func `a realm has its own address, and the others that of the server or of the request`() throws {
    let address = try BaseAddress(nil, realms: ["alpha": "https://alpha.example.com/am/"])
    let connection = ClientConnection(address: nil, scheme: .http, host: "127.0.0.1:8080")
    #expect(address.address(for: connection, realm: "alpha") == "https://alpha.example.com/am")
    #expect(address.address(for: connection, realm: "root") == "http://127.0.0.1:8080/am")
    #expect(throws: ServerSetupError.self) { try BaseAddress(nil, realms: ["alpha": "alpha.example.com"]) }
  }
}
