internal import Foundation
internal import PingLogger
internal import PingNetwork
internal import StrictJSON

/// HTTP with JSON to the servers of a test.
enum LocalHTTP {
  /// - Throws: ``ScriptFailure`` with the server's answer when it refuses.
  @discardableResult
  static func send(
    _ url: String, method: HttpMethod = .post, headers: [String: String] = [:], body: JSONObject? = nil
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
      throw ScriptFailure("the server answered \(response.status): \(answer["message"]?.stringValue ?? "")")
    }
    return answer
  }
}

/// A step could not be done.
struct ScriptFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
