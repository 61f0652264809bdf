package import HTTPTypes
package import StrictJSON

/// An answer other than success, in PingAM's common form: `code`, `reason`, `message`, and sometimes `detail`.
package struct ErrorResponse: Error {
  /// A text of the pages by its key, and the values of its places.
  package struct Wording {
    package let key: String
    package var values: [String: String] = [:]
  }

  package var status: HTTPResponse.Status

  /// What the client reads. Fixed sentences that may reach a person are in the pages' texts, too (`messages`).
  package var message: String

  /// The message as texts of the pages, for other languages, where it is not a fixed sentence.
  package var wording: [Wording] = []
  package var detail: JSONObject?
  package var headers: HTTPFields

  /// The journey and its user for the operator's log; the client is not told.
  package var subject: Subject = (nil, nil)
  package typealias Subject = (journey: String?, user: String?)

  /// What the operator reads; ``message`` when that says it all.
  package var cause: String?

  package init(
    _ status: HTTPResponse.Status, _ message: String, detail: JSONObject? = nil, cause: String? = nil,
    headers: HTTPFields = HTTPFields()
  ) {
    self.status = status
    self.message = message
    self.detail = detail
    self.cause = cause
    self.headers = headers
  }

  package var body: JSONObject {
    var body: JSONObject = [
      "code": .integer(Int64(status.code)), "reason": .string(status.reasonPhrase),
      "message": .string(message),
    ]
    if let detail { body["detail"] = .object(detail) }
    return body
  }
}

extension ErrorResponse {
  package static func badRequest(_ message: String) -> Self { Self(.badRequest, message) }

  /// No valid session.
  package static func accessDenied(_ cause: String) -> Self {
    Self(.unauthorized, "Access Denied", cause: cause)
  }

  package static func forbidden(_ cause: String) -> Self {
    Self(.forbidden, "User not permitted.", cause: cause)
  }

  package static func notFound(_ message: String) -> Self { Self(.notFound, message) }

  package static let noSuchUser = notFound("There is no such user in this realm.")
  package static let noSuchRealm = notFound("There is no such realm.")
  package static let changedMeanwhile = Self(.preconditionFailed, "It was changed meanwhile. Read it again.")

  package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Self {
    let list = allowed.map(\.rawValue).joined(separator: ", ")
    return Self(.methodNotAllowed, "Use \(list) here.", headers: [.allow: list])
  }

  /// The journey ended at its failure node, or may not end in success.
  package static func loginFailure(
    _ message: String = "Login failure", detail: JSONObject = ["failureUrl": ""], cause: String? = nil,
    subject: Subject = (nil, nil)
  ) -> Self {
    var response = Self(.unauthorized, message, detail: detail, cause: cause)
    response.subject = subject
    return response
  }

  package static func unavailable(_ cause: String) -> Self {
    Self(
      .serviceUnavailable, "The server is busy. Try again in a moment.", cause: cause,
      headers: [.retryAfter: "1"])
  }

  static func contentTooLarge(limit: Int) -> Self {
    Self(.contentTooLarge, "The body is longer than \(limit) bytes.")
  }

  package static func tooManyRequests(retryAfter seconds: Int) -> Self {
    Self(
      .tooManyRequests, "Too many requests. Wait before the next one.",
      headers: [.retryAfter: String(seconds)])
  }
}
