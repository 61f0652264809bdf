internal import BindingFormats
internal import Foundation
internal import PingLogger
package import PingNetwork
package import StrictJSON

/// Sends HTTP requests with JSON, for any caller.
package enum TestClient {
  /// - Throws: ``TestServerError/refused(status:message:)``.
  @discardableResult
  package static func send(
    _ url: String, method: HttpMethod? = nil, headers: [String: String] = [:], body: JSONObject? = nil
  ) async throws -> JSONValue {
    let client = HttpClient.createClient { $0.logger = LogManager.none }
    defer { client.close() }
    let text = body.map { JSONValue.object($0).text }
    let response = try await client.request { request in
      request.url = url
      for (name, value) in headers { request.setHeader(name: name, value: value) }
      switch (method, text) {
      case (.delete, _): request.delete(contentType: "application/json", body: "{}")
      case (.put, let text?): request.put(contentType: "application/json", body: text)
      case (_, let text?): request.post(contentType: "application/json", body: text)
      default: request.get()
      }
    }.get()
    let answer = (try? JSONValue(parsing: Array(response.body ?? Data()))) ?? .null
    guard response.status.isSuccess() else {
      throw TestServerError.refused(
        status: response.status, message: answer["message"]?.stringValue ?? "")
    }
    return answer
  }

  /// The headers with a new session of the administrator.
  package static func administrator(at address: String, cookieName: String) async throws -> [String: String] {
    let session = try await send(
      "\(RealmPath("root").resources(at: address))/authenticate",
      headers: ["X-OpenAM-Username": "amAdmin", "X-OpenAM-Password": TestServer.administratorPassword],
      body: [:])
    return [cookieName: session["tokenId"]?.stringValue ?? ""]
  }
}
