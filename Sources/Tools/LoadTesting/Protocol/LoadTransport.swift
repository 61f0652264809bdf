internal import StrictJSON

/// A request with a JSON body, always POST.
package struct LoadRequest: Sendable {
  package var url: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(_ url: String, api: String = "resource=2.1, protocol=1.0", body: [UInt8]) {
    self.url = url
    headers = [("Content-Type", "application/json"), ("Accept-API-Version", api)]
    self.body = body
  }
}

package struct LoadAnswer: Sendable {
  package var status: Int
  package var body: [UInt8]
}

/// Sends requests to the server.
package protocol LoadTransport: Sendable {
  /// - Throws: ``LoadFailure`` when there is no answer, or `CancellationError`.
  func send(_ request: LoadRequest) async throws -> LoadAnswer
}

extension LoadTransport {
  /// Returns the JSON of a successful answer.
  ///
  /// - Throws: ``LoadFailure`` for every other status.
  func json(_ request: LoadRequest) async throws -> JSONValue {
    let answer = try await send(request).accepted()
    guard let json = try? JSONValue(parsing: answer.body) else {
      throw LoadFailure(.malformed, "the answer is not JSON")
    }
    return json
  }
}

extension LoadAnswer {
  /// Returns the answer if it is a success; throws otherwise.
  func accepted() throws(LoadFailure) -> LoadAnswer {
    guard (200..<300).contains(status) else {
      throw LoadFailure(status: status, try? JSONValue(parsing: body))
    }
    return self
  }
}

extension LoadFailure {
  /// Classifies a status that is not a success.
  init(status: Int, _ body: JSONValue?) {
    let message = body?["message"]?.stringValue ?? "no reason given"
    let code = body?["detail"]?["errorCode"]?.stringValue.map { " (\($0))" } ?? ""
    let kind: Kind =
      switch status {
      case 401, 403: .refused
      case 429, 503: .busy
      case 500...: .serverError
      default: .rejected
      }
    self.init(kind, "\(status) \(message.prefix(200))\(code)")
  }
}
