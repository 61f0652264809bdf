import Foundation
import PingLogger
import PingNetwork
import StrictJSON

/// Requests as a browser or another program makes them; a redirect is an answer.
enum WebRequests {
  struct Answer {
    let status: Int
    let json: JSONValue

    /// Where it redirects to.
    let location: String?
  }

  /// Sends a request: POST with a body, GET without one.
  static func send(
    _ url: String, headers: [String: String] = [:], json: JSONObject? = nil, form: String? = nil
  ) async throws -> Answer {
    let client = HttpClient.createClient { $0.logger = LogManager.none }
    defer { client.close() }
    let answer = try await client.request { request in
      request.url = url
      for (name, value) in headers { request.setHeader(name: name, value: value) }
      if let json { request.post(contentType: "application/json", body: JSONValue.object(json).text) }
      if let form { request.post(contentType: "application/x-www-form-urlencoded", body: form) }
    }.get()
    return Answer(
      status: answer.status, json: (try? JSONValue(parsing: answer.bodyAsString())) ?? .null,
      location: answer.getHeader(name: "Location"))
  }

  /// Signs in with a password; the session's token.
  static func signIn(_ name: String, _ password: String, realm: String, at address: String) async throws
    -> String
  {
    let realm = realm == "root" ? "root" : "root/realms/\(realm)"
    let answer = try await send(
      "\(address)/json/realms/\(realm)/authenticate",
      headers: ["X-OpenAM-Username": name, "X-OpenAM-Password": password], json: [:])
    guard let token = answer.json["tokenId"]?.stringValue else { throw Refused(answer: answer) }
    return token
  }

  /// An answer that the test cannot go on with.
  struct Refused: Error, CustomStringConvertible {
    let answer: Answer

    var description: String { "The server answered \(answer.status): \(answer.json.text)" }
  }
}
