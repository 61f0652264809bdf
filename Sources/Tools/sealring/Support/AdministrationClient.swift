internal import Bytes
import Foundation
import PingDeviceClient
import PingLogger
import PingNetwork
import StrictJSON

/// The administrator's view of the server's REST interface.
struct AdministrationClient: Redacted {
  private let server: ServerOptions
  private let token: String
  private let client: any HttpClientProtocol

  /// With a session that is there.
  init(server: ServerOptions, token: String) {
    self.init(server: server, token: token, client: server.quietClient())
  }

  private init(server: ServerOptions, token: String, client: any HttpClientProtocol) {
    (self.server, self.token, self.client) = (server, token, client)
  }

  /// Signs in to a realm without a dialogue (zero-page login).
  static func signIn(
    server: ServerOptions, name: String, password: String, realm: String = "root"
  ) async throws -> AdministrationClient {
    let client = server.quietClient()
    let url = "\(server.baseAddress)/json/realms/\(path(ofRealm: realm))/authenticate"
    let answer = try await send(client, url) { request in
      request.setHeader(name: "X-OpenAM-Username", value: encodedWord(name))
      request.setHeader(name: "X-OpenAM-Password", value: encodedWord(password))
      request.post(json: [:])
    }
    guard let token = answer["tokenId"]?.stringValue, !token.isEmpty else {
      throw CommandFailure(
        "The server did not sign \(printable(name)) in at once; its default journey in realm \(printable(realm)) must accept zero-page login.",
        code: .unsupported)
    }
    return AdministrationClient(server: server, token: token, client: client)
  }

  func createUser(_ username: String, password: String, mail: String?) async throws {
    var body: [String: Any] = ["username": username, "userpassword": password]
    if let mail { body["mail"] = [mail] }
    let data = try JSONSerialization.data(withJSONObject: body)
    _ = try await send("users?_action=create") {
      $0.post(contentType: "application/json", body: String(decoding: data, as: UTF8.self))
    }
  }

  /// All accounts, page by page.
  func users() async throws -> [JSONValue] {
    var users: [JSONValue] = []
    var cookie = ""
    repeat {
      let page = try await send("users?_queryFilter=true&_pagedResultsCookie=\(cookie)") { $0.get() }
      users += page["result"]?.arrayValue ?? []
      cookie = page["pagedResultsCookie"]?.stringValue ?? ""
    } while !cookie.isEmpty
    return users
  }

  /// Whether the account is there.
  func hasUser(_ username: String) async throws -> Bool {
    do { return try await !user(username).isEmpty } catch let failure as CommandFailure
      where failure.code == .notFound
    {
      return false
    }
  }

  /// The account, as the server shows it.
  func user(_ username: String) async throws -> JSONObject {
    try await send("users/\(Self.inPath(username))") { $0.get() }.objectValue ?? JSONObject()
  }

  /// The sessions of an account of the realm.
  func sessions(of username: String) async throws -> [JSONValue] {
    let quoted = username.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return try await send("sessions?_queryFilter=\(Self.inPath("username eq \"\(quoted)\""))") { $0.get() }[
      "result"]?
      .arrayValue ?? []
  }

  /// Sets members of an account; the others stay as they are in `account`.
  func update(_ account: JSONObject, _ members: JSONObject) async throws {
    var body = account
    for (name, value) in members { body[name] = value }
    let text = JSONValue.object(body).text
    _ = try await send("users/\(Self.inPath(account["username"]?.stringValue ?? ""))") {
      $0.put(contentType: "application/json", body: text)
    }
  }

  /// Ends the administrator's session; when that cannot be, it ends by itself.
  func signOut() async {
    _ = try? await Self.send(client, "\(server.baseAddress)/json/realms/root/sessions?_action=logout") {
      [token] request in
      request.setHeader(name: "iPlanetDirectoryPro", value: token)
      request.post(json: [:])
    }
  }

  static func inPath(_ text: String) -> String {
    PercentEncoding.encode(text)
  }

  func deleteUser(_ username: String) async throws {
    _ = try await send("users/\(Self.inPath(username))") { $0.setMethod(.delete) }
  }

  func createApplication(_ name: String, takesPlainProofs: Bool) async throws -> JSONValue {
    let body: JSONValue = ["name": .string(name), "plainProofs": .bool(takesPlainProofs)]
    return try await send("applications?_action=create") {
      $0.post(contentType: "application/json", body: body.text)
    }
  }

  func applications() async throws -> [JSONValue] {
    try await send("applications?_queryFilter=true") { $0.get() }["result"]?.arrayValue ?? []
  }

  func deleteApplication(_ id: String) async throws {
    _ = try await send("applications/\(Self.inPath(id))") { $0.setMethod(.delete) }
  }

  func send(_ path: String, _ build: @escaping @Sendable (any HttpRequest) -> Void) async throws
    -> JSONValue
  {
    let realm = Self.path(ofRealm: server.realm)
    return try await Self.send(client, "\(server.baseAddress)/json/realms/\(realm)/\(path)") {
      [token] request in
      request.setHeader(name: "iPlanetDirectoryPro", value: token)
      build(request)
    }
  }

  private static func path(ofRealm realm: String) -> String {
    realm == "root" || realm.hasPrefix("root/") ? realm : "root/realms/\(realm)"
  }

  private static func send(
    _ client: any HttpClientProtocol, _ url: String, _ build: @escaping @Sendable (any HttpRequest) -> Void
  ) async throws -> JSONValue {
    let answer = await client.request { request in
      request.url = url
      request.setHeader(name: "Accept-API-Version", value: "resource=2.1, protocol=1.0")
      build(request)
    }
    let response: any PingNetwork.HttpResponse
    do { response = try answer.get() } catch {
      throw CommandFailure(
        "The server cannot be reached at \(url): \(PlainReason.of(error)) Check --server and that it runs (`sealring serve`).",
        code: .unreachable)
    }
    let body = try? JSONValue(parsing: response.body ?? Data())
    guard response.status.isSuccess() else {
      let message = body?["message"]?.stringValue ?? "no reason given"
      throw CommandFailure(
        "The server refused (\(response.status)): \(sentence(printable(message)))"
          + (response.status == 404 ? MissingPath.hint(inRequest: url) : ""),
        code: CommandFailure.code(forStatus: response.status))
    }
    return body ?? .null
  }

  /// Header values are ASCII; others travel as an RFC 2047 encoded word, which PingAM and we decode.
  private static func encodedWord(_ text: String) -> String {
    text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.hasPrefix("=?")
      ? text : "=?UTF-8?B?\(Data(text.utf8).base64EncodedString())?="
  }
}

extension ServerOptions {
  /// The devices of the user whose session `token` is.
  func devices(token: String) -> DeviceClient {
    DeviceClient(
      config: DeviceClientConfig(
        serverUrl: baseAddress, realm: realm, ssoToken: token, httpClient: quietClient(),
        allowsInsecureHTTP: allowHTTP))
  }

  /// An HTTP client that leaves what to say about a failure to the command.
  func quietClient() -> any HttpClientProtocol {
    PingNetwork.HttpClient.createClient { config in
      config.logger = LogManager.none
      config.allowsInsecureHTTP = allowHTTP
    }
  }
}
