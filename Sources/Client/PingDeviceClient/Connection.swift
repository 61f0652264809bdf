internal import Bytes
internal import Concurrency
internal import PingNetwork
internal import PingOrchestrate
internal import StrictJSON

#if canImport(FoundationNetworking)
  internal import Foundation
  internal import FoundationNetworking
#else
  internal import Foundation
#endif

/// Sends requests with the configured session.
final class Connection: Sendable {
  let config: DeviceClientConfig
  private let knownUsername = Locked<String?>(nil)

  /// The largest accepted answer in bytes, whichever client has received it.
  private static let maximumAnswerSize = 16 << 20

  init(config: DeviceClientConfig) { self.config = config }

  /// The name of the session's user, which is requested once.
  func username() async throws(DeviceError) -> String {
    if let known = knownUsername.withLock({ $0 }) { return known }
    let answer = try await send(
      .post, "sessions?_action=getSessionInfo", version: "resource=2.1", body: JSONObject().serialized,
      accepting: [200])
    guard let username = answer["username"]?.stringValue, !username.isEmpty else {
      throw .invalidResponse(message: "The session's information has no user name.")
    }
    knownUsername.withLock { $0 = username }
    return username
  }

  /// Sends a request below the realm's path and returns the answer's JSON; `null` for an empty answer.
  func send(
    _ method: Request.HTTPMethod, _ path: String, version: String, body: [UInt8]? = nil,
    ifMatch: String? = nil, accepting statuses: Set<Int>
  ) async throws(DeviceError) -> JSONValue {
    let url = try realmURL() + path
    do throws(InsecureAddressError) {
      try config.httpClient.checkAddress(url, isAllowed: config.allowsInsecureHTTP)
    } catch {
      throw .networkError(error: error)
    }
    let (cookieName, token) = try credentials()
    let request = Request()
    request.url(url)
    request.setHeader(name: Request.Constants.xRequestedWith, value: Request.Constants.pingSdk)
    request.setHeader(name: Request.Constants.xRequestedPlatform, value: Request.Constants.platform)
    request.setHeader(name: cookieName, value: token)
    request.setHeader(name: "Accept-API-Version", value: version)
    if let ifMatch { request.setHeader(name: "If-Match", value: ifMatch) }
    request.method(method)
    guard request.problem == nil else { throw .invalidUrl(url: config.serverUrl) }
    if let body {
      var filled = request.urlRequest
      filled.httpBody = Data(body)
      request.url(filled)
    }
    let (bytes, head) = try await answer(to: request)
    guard let status = (head as? HTTPURLResponse)?.statusCode else {
      throw .invalidResponse(message: "It is not an HTTP answer.")
    }
    guard bytes.count <= Self.maximumAnswerSize else {
      throw .invalidResponse(message: "It has more than \(Self.maximumAnswerSize) bytes.")
    }
    guard statuses.contains(status) else {
      throw .requestFailed(statusCode: status, message: Self.reason(in: bytes))
    }
    guard !bytes.isEmpty else { return .null }
    do { return try JSONValue(parsing: bytes) } catch {
      throw .decodingFailed(error: AnswerError.notJSON)
    }
  }

  private func answer(to request: Request) async throws(DeviceError) -> (Data, URLResponse) {
    do { return try await config.httpClient.sendRequest(request: request) } catch {
      if case .invalidRequest = error as? NetworkError { throw .invalidUrl(url: config.serverUrl) }
      throw .networkError(error: error)
    }
  }

  /// `{server}/json/realms/alpha/`; with a path of several realms `{server}/json/realms/root/realms/alpha/realms/beta/`.
  private func realmURL() throws(DeviceError) -> String {
    guard !config.serverUrl.isEmpty else {
      throw .missingConfiguration(
        message: "Set serverUrl to the server's address, such as https://example.com/am.")
    }
    guard let components = URLComponents(string: config.serverUrl), components.host?.isEmpty == false,
      ["http", "https"].contains(components.scheme?.lowercased()), components.query == nil,
      components.fragment == nil
    else { throw .invalidUrl(url: config.serverUrl) }
    var names = config.realm.split(separator: "/").map(String.init)
    let isOneName = names.count == 1 && names != ["root"]
    if names.first == "root" { names.removeFirst() }
    names.removeAll { $0 == "realms" }
    let server = config.serverUrl.reversed().drop { $0 == "/" }.reversed()
    // As in the published SDK, a realm directly below root is named alone; servers take it for the whole path.
    if isOneName, let name = names.first { return "\(String(server))/json/realms/\(try pathSegment(name))/" }
    var url = "\(String(server))/json/realms/root/"
    for name in names { url += "realms/\(try pathSegment(name))/" }
    return url
  }

  private func credentials() throws(DeviceError) -> (cookieName: String, token: String) {
    guard !config.cookieName.isEmpty else {
      throw .missingConfiguration(message: "Set cookieName to the name of the server's session cookie.")
    }
    guard isHeaderName(config.cookieName) else {
      throw .missingConfiguration(
        message: "The cookieName has a character that is not allowed in a header's name.")
    }
    guard !config.ssoToken.isEmpty else { throw .invalidToken(message: "It is empty.") }
    guard config.ssoToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .invalidToken(message: "It has a character that is not allowed in a token.")
    }
    return (config.cookieName, config.ssoToken)
  }

  /// The server's reason, fit for one line of a terminal or a log.
  private static func reason(in body: Data) -> String {
    let json = try? JSONValue(parsing: body)
    guard let message = json?["message"]?.stringValue ?? json?["reason"]?.stringValue, !message.isEmpty else {
      return "no reason given"
    }
    return message.prefix(200).onOneLine
  }
}

/// Returns `text` percent-encoded, `/` included, as one segment of a path.
///
/// - Throws: ``DeviceError/encodingFailed(message:)`` for empty text, `.` and `..`, which would name another resource, encoded or not.
func pathSegment(_ text: String) throws(DeviceError) -> String {
  guard !["", ".", ".."].contains(text) else {
    throw .encodingFailed(message: "\(text.debugDescription) cannot be part of an address.")
  }
  return PercentEncoding.encode(text)
}

extension JSONValue {
  /// The records in the server's answer to a query.
  func listedRecords() throws(DeviceError) -> [JSONValue] {
    guard let records = self["result"]?.arrayValue else {
      throw .decodingFailed(error: AnswerError.noResult)
    }
    return records
  }
}
