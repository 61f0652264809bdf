import Foundation
import PingLogger
import PingNetwork
import StrictJSON

/// The administrator's view of the server's REST interface.
struct AdministrationClient {
  private let server: ServerOptions
  private let token: String
  private let client: any HttpClientProtocol

  /// Signs in to the root realm without a dialogue (zero-page login).
  static func signIn(server: ServerOptions, name: String, password: String) async throws
    -> AdministrationClient
  {
    let client = quietClient()
    let answer = try await send(client, "\(server.baseAddress)/json/realms/root/authenticate") { request in
      request.setHeader(name: "X-OpenAM-Username", value: encodedWord(name))
      request.setHeader(name: "X-OpenAM-Password", value: encodedWord(password))
      request.post(json: [:])
    }
    guard let token = answer["tokenId"]?.stringValue, !token.isEmpty else {
      throw CommandFailure(
        "The server did not sign \(printable(name)) in at once; its default journey in the root realm must accept zero-page login."
      )
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

  func users() async throws -> [JSONValue] {
    try await send("users?_queryFilter=true") { $0.get() }["result"]?.arrayValue ?? []
  }

  func deleteUser(_ username: String) async throws {
    let name = username.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? username
    _ = try await send("users/\(name)") { $0.setMethod(.delete) }
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
    let id = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? id
    _ = try await send("applications/\(id)") { $0.setMethod(.delete) }
  }

  private func send(_ path: String, _ build: @escaping @Sendable (any HttpRequest) -> Void) async throws
    -> JSONValue
  {
    let realm =
      server.realm == "root" || server.realm.hasPrefix("root/") ? server.realm : "root/realms/\(server.realm)"
    return try await Self.send(client, "\(server.baseAddress)/json/realms/\(realm)/\(path)") {
      [token] request in
      request.setHeader(name: "iPlanetDirectoryPro", value: token)
      build(request)
    }
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
        "The server cannot be reached at \(url): \(sentence(error.localizedDescription)) Check --server and that it runs (`sealring serve`)."
      )
    }
    let body = try? JSONValue(parsing: response.body ?? Data())
    guard response.status.isSuccess() else {
      let message = body?["message"]?.stringValue ?? "no reason given"
      throw CommandFailure("The server refused (\(response.status)): \(printable(message)).")
    }
    return body ?? .null
  }

  /// Header values are ASCII; others travel as an RFC 2047 encoded word, which PingAM and we decode.
  private static func encodedWord(_ text: String) -> String {
    text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.hasPrefix("=?")
      ? text : "=?UTF-8?B?\(Data(text.utf8).base64EncodedString())?="
  }
}

/// An HTTP client that leaves what to say about a failure to the command.
func quietClient() -> any HttpClientProtocol {
  PingNetwork.HttpClient.createClient { $0.logger = LogManager.none }
}
