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
    try await answered { try await TestClient.send(url, method: method, headers: headers, body: body) }
  }

  /// The headers with a new session of the administrator.
  static func administrator(at address: String, cookieName: String) async throws -> [String: String] {
    try await answered { try await TestClient.administrator(at: address, cookieName: cookieName) }
  }

  private static func answered<Answer>(_ request: () async throws -> Answer) async throws -> Answer {
    do { return try await request() } catch TestServerError.refused(let status, let message) {
      throw ScriptFailure("the server answered \(status): \(message)")
    }
  }
}

/// The reason why a step could not be performed.
struct ScriptFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
