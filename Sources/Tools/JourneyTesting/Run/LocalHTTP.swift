internal import PingNetwork
internal import SealringTesting
internal import StrictJSON

/// HTTP with JSON to the servers of a test.
enum LocalHTTP {
  /// - Throws: ``ScriptFailure`` with the server's answer when it refuses.
  @discardableResult
  static func send(
    _ url: String, method: HttpMethod? = nil, headers: [String: String] = [:], body: JSONObject? = nil
  ) async throws -> JSONValue {
    do {
      return try await TestClient.send(url, method: method, headers: headers, body: body)
    } catch TestServerError.refused(let status, let message) {
      throw ScriptFailure("the server answered \(status): \(message)")
    }
  }

  /// The headers with a new session of the administrator.
  static func administrator(at address: String, cookieName: String) async throws -> [String: String] {
    do {
      return try await TestClient.administrator(at: address, cookieName: cookieName)
    } catch TestServerError.refused(let status, let message) {
      throw ScriptFailure("the server answered \(status): \(message)")
    }
  }
}

/// The reason why a step could not be performed.
struct ScriptFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
