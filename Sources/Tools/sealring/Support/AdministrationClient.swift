import BindingFormats
internal import Bytes
import Foundation
import PingDeviceClient
import PingLogger
import PingNetwork
import StrictJSON

/// The server's REST interface for one session: an administrator's, or the user's own.
struct AdministrationClient: Redacted {
  private let server: ServerOptions
  private let token: String
  private let client: any HttpClientProtocol

  /// - Parameters:
  ///   - token: The session's token; empty for public resources.
  ///   - client: The HTTP client; `nil` for a new one.
  init(server: ServerOptions, token: String, client: (any HttpClientProtocol)? = nil) {
    (self.server, self.token, self.client) = (server, token, client ?? server.quietClient())
  }

  /// Signs in to a realm without a dialogue (zero-page login).
  static func signIn(
    server: ServerOptions, name: String, password: String, realm: String = "root"
  ) async throws -> AdministrationClient {
    let stranger = AdministrationClient(server: server, token: "")
    let answer = try await stranger.send("authenticate", realm: realm) { request in
      request.setHeader(name: "X-OpenAM-Username", value: EncodedWords.encode(name))
      request.setHeader(name: "X-OpenAM-Password", value: EncodedWords.encode(password))
      request.post(json: [:])
    }
    guard let token = answer["tokenId"]?.stringValue, !token.isEmpty else {
      throw CommandFailure.unsupported(
        "The server did not sign \(printable(name)) in at once; its default journey in realm \(printable(realm)) must accept "
          + "zero-page login."
      )
    }
    return AdministrationClient(server: server, token: token, client: stranger.client)
  }

  /// Ends the administrator's session. Remarks when that fails; the session then expires by itself.
  func signOut() async {
    do {
      _ = try await send("sessions?_action=logout", realm: "root") { $0.post(json: [:]) }
    } catch let failure as CommandFailure where failure.code == .refused {
      // The server no longer knows the session.
    } catch {
      Output.remark(OpenSessions.notEnded(because: error))
    }
  }

  /// The realm of the requests.
  var realm: RealmPath { RealmPath(server.realm) }

  // MARK: Accounts

  /// Creates an account; with `isTrial` only checks whether that would succeed.
  func createUser(_ account: JSONObject, isTrial: Bool = false) async throws {
    _ = try await post("users?_action=create\(isTrial ? "&dryRun=true" : "")", account)
  }

  /// All accounts, page by page.
  ///
  /// - Parameters:
  ///   - mostPages: The most pages to read. A page of this server has 200 accounts.
  ///   - mostBytes: The most bytes of all pages and their cookies together, which take several times that in memory.
  /// - Throws: ``CommandFailure`` when the server's pages do not end: a page refers to an earlier one, or the pages are too many, or too
  ///   large.
  func users(mostPages: Int = 10_000, mostBytes: Int = 256 << 20) async throws -> [JSONValue] {
    var users: [JSONValue] = []
    var cookies: Set<String> = []
    var (cookie, size) = ("", 0)
    repeat {
      let page = try await get("users?_queryFilter=true&_pagedResultsCookie=\(Self.inPath(cookie))")
      let records = page["result"]?.arrayValue ?? []
      users += records
      cookie = page["pagedResultsCookie"]?.stringValue ?? ""
      size += records.reduce(cookie.utf8.count) { $0 + $1.text.utf8.count }
      guard cookie.isEmpty || cookies.insert(cookie).inserted, cookies.count < mostPages,
        size <= mostBytes
      else {
        throw CommandFailure.unsupported(
          "The server's list of accounts does not end: \(cookies.count) pages were read.")
      }
    } while !cookie.isEmpty
    return users
  }

  /// Returns the realm's accounts that have a role.
  func usersWithRoles() async throws -> [JSONValue] { try await records("users", where: "adminRoles pr") }

  /// Returns the account's record.
  func user(_ username: String) async throws -> JSONObject {
    try await get(Self.path(of: username)).objectValue ?? JSONObject()
  }

  /// Sets members of an account; the other members keep their values.
  ///
  /// - Throws: ``CommandFailure`` with the code `conflict` when somebody else changed the account at the same time.
  func update(_ username: String, _ members: JSONObject) async throws {
    var account = try await user(username)
    let revision = account["_rev"]?.stringValue
    for (name, value) in members { account[name] = value }
    try await put(Self.path(of: username), account, asRead: revision)
  }

  func deleteUser(_ username: String) async throws { try await delete(Self.path(of: username)) }

  /// Grants or revokes a role. Returns the roles after the change.
  func changeRole(_ role: String, of username: String, isGrant: Bool) async throws -> JSONValue {
    let action = isGrant ? "grant" : "revoke"
    return try await post("\(Self.path(of: username))/roles?_action=\(action)", ["role": .string(role)])
  }

  /// Removes failures and locks of an account. Returns whether there were any.
  func unlock(_ username: String) async throws -> Bool {
    try await post("\(Self.path(of: username))?_action=unlock")["result"]?.boolValue ?? false
  }

  private static func path(of username: String) -> String { "users/\(inPath(username))" }

  // MARK: Sessions

  /// Returns the sessions of an account of the realm.
  func sessions(of username: String) async throws -> [JSONValue] {
    try await records("sessions", where: Self.filter(username: username))
  }

  /// Whether the session is still valid. The query counts as use of the session.
  func isValid() async throws -> Bool {
    try await post("sessions?_action=validate")["valid"]?.boolValue == true
  }

  /// Returns name, realm, times and properties of the session.
  func sessionInformation() async throws -> JSONValue { try await post("sessions?_action=getSessionInfo") }

  /// Ends the session. Returns `false` when it had already ended.
  func logout() async throws -> Bool {
    try await post("sessions?_action=logout")["result"]?.stringValue == "Successfully logged out"
  }

  // MARK: Applications, realms, journeys

  func createApplication(_ name: String, takesPlainProofs: Bool) async throws -> JSONValue {
    try await post(
      "applications?_action=create", ["name": .string(name), "plainProofs": .bool(takesPlainProofs)])
  }

  func applications() async throws -> [JSONValue] { try await records("applications") }

  func deleteApplication(_ id: String) async throws { try await delete("applications/\(Self.inPath(id))") }

  /// The server's realms.
  func realms() async throws -> [JSONValue] { try await records("global-config/realms") }

  func createRealm(_ realm: RealmPath) async throws -> JSONValue {
    try await post(
      "global-config/realms?_action=create",
      [
        "name": .string(realm.names.last ?? "root"),
        "parentPath": .string("/" + realm.names.dropLast().joined(separator: "/")), "active": true,
      ])
  }

  func deleteRealm(_ realm: RealmPath, isForced: Bool) async throws {
    let id = Base64URL.encode(Array(("/" + realm.names.joined(separator: "/")).utf8))
    try await delete("global-config/realms/\(id)\(isForced ? "?force=true" : "")")
  }

  /// The realm's journeys.
  func journeys() async throws -> [JSONValue] {
    try await records("realm-config/authentication/authenticationtrees/trees")
  }

  // MARK: Requests

  /// Performs an action, and returns the answer with the server's refusal, for callers that look at the reasons. Throws other failures.
  func attempt(
    _ path: String, _ body: JSONObject = [:]
  ) async throws -> (answer: JSONValue, refusal: CommandFailure?) {
    let (response, url) = try await response(path) {
      $0.post(contentType: "application/json", body: JSONValue.object(body).text)
    }
    let answer = (try? JSONValue(parsing: response.body ?? Data())) ?? .null
    return (answer, response.status.isSuccess() ? nil : Self.refusal(response, url))
  }

  func get(_ path: String) async throws -> JSONValue { try await send(path) { $0.get() } }

  /// Returns the records of a collection that match `filter`.
  func records(_ path: String, where filter: String = "true") async throws -> [JSONValue] {
    try await get("\(path)?_queryFilter=\(Self.inPath(filter))")["result"]?.arrayValue ?? []
  }

  private func post(_ path: String, _ body: JSONObject = [:]) async throws -> JSONValue {
    try await send(path) { $0.post(contentType: "application/json", body: JSONValue.object(body).text) }
  }

  /// - Parameter revision: the resource's revision that is replaced, and no other; `nil` for any.
  func put(_ path: String, _ body: JSONObject, asRead revision: String? = nil) async throws {
    _ = try await send(path) {
      $0.put(contentType: "application/json", body: JSONValue.object(body).text)
      if let revision { $0.setHeader(name: "If-Match", value: "\"\(revision)\"") }
    }
  }

  func delete(_ path: String) async throws { _ = try await send(path) { $0.setMethod(.delete) } }

  static func inPath(_ text: String) -> String { PercentEncoding.encode(text) }

  /// The query filter for the records of an account.
  static func filter(username: String) -> String {
    "username eq \"\(username.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  /// Returns the bytes of an answer that is not JSON.
  func bytes(_ path: String) async throws -> Data { try await answer(path) { $0.get() } }

  private func send(
    _ path: String, realm: String? = nil, _ build: @escaping @Sendable (any HttpRequest) -> Void
  ) async throws -> JSONValue {
    let body = try await answer(path, realm: realm, build)
    return (try? JSONValue(parsing: body)) ?? .null
  }

  /// Returns the body of a successful answer.
  private func answer(
    _ path: String, realm: String? = nil, _ build: @escaping @Sendable (any HttpRequest) -> Void
  ) async throws -> Data {
    let (response, url) = try await response(path, realm: realm, build)
    guard response.status.isSuccess() else { throw Self.refusal(response, url) }
    return response.body ?? Data()
  }

  /// Sends a request with the session.
  ///
  /// - Parameter realm: The realm of the request; `nil` for the realm of ``server``.
  private func response(
    _ path: String, realm: String? = nil, _ build: @escaping @Sendable (any HttpRequest) -> Void
  ) async throws -> (any PingNetwork.HttpResponse, url: String) {
    let name = token.isEmpty ? nil : try await server.cookieName(by: client)
    let url = "\(RealmPath(realm ?? server.realm).resources(at: server.baseAddress))/\(path)"
    let answer = await client.request { [token] request in
      request.url = url
      request.setHeader(name: "Accept-API-Version", value: "resource=2.1, protocol=1.0")
      if let name { request.setHeader(name: name, value: token) }
      build(request)
    }
    do { return (try answer.get(), url) } catch { throw CommandFailure.unreachable(at: url, error) }
  }

  private static func refusal(_ response: any PingNetwork.HttpResponse, _ url: String) -> CommandFailure {
    let body = try? JSONValue(parsing: response.body ?? Data())
    let message = body?["message"]?.stringValue ?? "no reason given"
    return CommandFailure(
      "The server refused (\(response.status)): \(sentence(printable(message)))"
        + (response.status == 404 ? MissingPath.hint(inRequest: url) : ""),
      code: CommandFailure.code(forStatus: response.status))
  }
}

extension ServerOptions {
  /// The devices of the user with the session `token`.
  func devices(token: String) async throws -> DeviceClient {
    let client = quietClient()
    return DeviceClient(
      config: DeviceClientConfig(
        serverUrl: baseAddress, realm: realm, cookieName: try await cookieName(by: client), ssoToken: token,
        httpClient: client, allowsInsecureHTTP: allowHTTP))
  }

  /// An HTTP client that does not log; commands report failures themselves.
  func quietClient() -> any HttpClientProtocol {
    PingNetwork.HttpClient.createClient { config in
      config.logger = LogManager.none
      config.allowsInsecureHTTP = allowHTTP
      // The longest answer is an export of the ledger.
      config.maximumBodySize = 65 << 20
    }
  }
}
