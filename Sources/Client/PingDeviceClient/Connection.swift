internal import Foundation
internal import Locking
internal import PingNetwork
internal import StrictJSON

/// Sends requests in the name of the configured session.
final class Connection: Sendable {
  let config: DeviceClientConfig
  private let knownUsername = Locked<String?>(nil)

  init(config: DeviceClientConfig) { self.config = config }

  /// Whose session it is, asked once.
  func username() async throws(DeviceError) -> String {
    if let known = knownUsername.withLock({ $0 }) { return known }
    let answer = try await send(
      .post, "sessions?_action=getSessionInfo", version: "resource=2.1", body: [:], accepting: [200])
    guard let username = answer["username"]?.stringValue, !username.isEmpty else {
      throw .invalidResponse(message: "The session's information has no user name.")
    }
    knownUsername.withLock { $0 = username }
    return username
  }

  /// Sends a request below the realm's path and returns the answer's JSON; `null` for an empty answer.
  func send(
    _ method: HttpMethod, _ path: String, version: String, body: JSONObject? = nil,
    ifMatch: String? = nil, accepting statuses: Set<Int>
  ) async throws(DeviceError) -> JSONValue {
    let url = try realmURL() + path
    do throws(InsecureAddressError) {
      try PlainHTTP.check(url, isAllowed: config.allowsInsecureHTTP)
    } catch {
      throw .networkError(error: error)
    }
    let (cookieName, token) = try credentials()
    let request = config.httpClient.request()
    request.url = url
    request.setHeader(name: cookieName, value: token)
    request.setHeader(name: "Accept-API-Version", value: version)
    if let ifMatch { request.setHeader(name: "If-Match", value: ifMatch) }
    if let body {
      request.setHeader(name: NetworkConstants.headerContentType, value: NetworkConstants.contentTypeJSON)
      request.setBody(Data(body.serialized))
    }
    request.setMethod(method)

    let response: any HttpResponse
    do { response = try await config.httpClient.request(request: request).get() } catch {
      if case .invalidRequest = error as? NetworkError { throw .invalidUrl(url: config.serverUrl) }
      throw .networkError(error: error)
    }
    let bytes = response.body ?? Data()
    guard statuses.contains(response.status) else {
      throw .requestFailed(statusCode: response.status, message: Self.reason(in: bytes))
    }
    guard !bytes.isEmpty else { return .null }
    do { return try JSONValue(parsing: bytes) } catch {
      throw .invalidResponse(message: "It is not JSON.")
    }
  }

  /// `{server}/json/realms/root/realms/alpha/`
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
    if names.first == "root" { names.removeFirst() }
    names.removeAll { $0 == "realms" }
    let server = config.serverUrl.trimmingSuffix("/")
    var url = "\(server)/json/realms/root/"
    for name in names { url += "realms/\(try pathSegment(name))/" }
    return url
  }

  private func credentials() throws(DeviceError) -> (cookieName: String, token: String) {
    guard !config.cookieName.isEmpty else {
      throw .missingConfiguration(message: "Set cookieName to the name of the server's session cookie.")
    }
    guard !config.ssoToken.isEmpty else { throw .invalidToken(message: "It is empty.") }
    guard config.ssoToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .invalidToken(message: "It has a character that no token has.")
    }
    return (config.cookieName, config.ssoToken)
  }

  /// The server's reason, fit for one line of a terminal or a log.
  private static func reason(in body: Data) -> String {
    let json = try? JSONValue(parsing: body)
    guard let message = json?["message"]?.stringValue ?? json?["reason"]?.stringValue, !message.isEmpty else {
      return "no reason given"
    }
    return String(message.prefix(200).map { $0.unicodeScalars.allSatisfy(\.isPrintable) ? $0 : " " })
  }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
    default: true
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> Substring {
    var rest = self[...]
    while rest.last == suffix { rest = rest.dropLast() }
    return rest
  }
}

/// `text` as one segment of a path, percent-encoded, `/` included.
///
/// - Throws: When it is empty or a step (`.`, `..`), which would name another resource, encoded or not.
func pathSegment(_ text: String) throws(DeviceError) -> String {
  guard !["", ".", ".."].contains(text) else {
    throw .encodingFailed(message: "\(text.debugDescription) cannot be part of an address.")
  }
  return PercentEncoding.encode(text)
}
