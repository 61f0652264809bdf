internal import HTTPTypes
internal import StrictJSON

/// An answer other than success, in PingAM's common form: `code`, `reason`, `message`, and sometimes `detail`.
struct ErrorResponse: Error {
  /// A text of the pages by its key, and the values of its places.
  struct Wording {
    let key: String
    var values: [String: String] = [:]
  }

  var status: HTTPResponse.Status

  /// What the client reads. Fixed sentences that may reach a person are in the pages' texts, too (`messages`).
  var message: String

  /// The message as texts of the pages, for other languages, where it is not a fixed sentence.
  var wording: [Wording] = []
  var detail: JSONObject?
  var headers: HTTPFields

  /// Which journey and whose, for the operator's log; the client is not told.
  var subject = Subject()

  struct Subject: Hashable {
    var journey: String?
    var user: String?
  }

  /// What the operator reads; ``message`` when that says it all.
  var cause: String?

  init(
    _ status: HTTPResponse.Status, _ message: String, detail: JSONObject? = nil, cause: String? = nil,
    headers: HTTPFields = HTTPFields()
  ) {
    self.status = status
    self.message = message
    self.detail = detail
    self.cause = cause
    self.headers = headers
  }

  var body: JSONObject {
    var body: JSONObject = [
      "code": .integer(Int64(status.code)), "reason": .string(status.reasonPhrase),
      "message": .string(message),
    ]
    if let detail { body["detail"] = .object(detail) }
    return body
  }
}

extension ErrorResponse {
  static func badRequest(_ message: String) -> Self { Self(.badRequest, message) }

  /// No valid session.
  static func accessDenied(_ cause: String) -> Self { Self(.unauthorized, "Access Denied", cause: cause) }

  static func forbidden(_ cause: String) -> Self { Self(.forbidden, "User not permitted.", cause: cause) }

  static func notFound(_ message: String) -> Self { Self(.notFound, message) }

  static let noSuchUser = notFound("There is no such user in this realm.")
  static let noSuchRealm = notFound("There is no such realm.")
  static let changedMeanwhile = Self(.preconditionFailed, "It was changed meanwhile. Read it again.")

  static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Self {
    let list = allowed.map(\.rawValue).joined(separator: ", ")
    return Self(.methodNotAllowed, "Use \(list) here.", headers: [.allow: list])
  }

  /// The journey ended at its failure node, or may not end in success.
  static func loginFailure(
    _ message: String = "Login failure", detail: JSONObject = ["failureUrl": ""], cause: String? = nil,
    subject: Subject = Subject()
  ) -> Self {
    var response = Self(.unauthorized, message, detail: detail, cause: cause)
    response.subject = subject
    return response
  }

  static func unavailable(_ cause: String) -> Self {
    Self(
      .serviceUnavailable, "The server is busy. Try again in a moment.", cause: cause,
      headers: [.retryAfter: "1"])
  }

  static func contentTooLarge(limit: Int) -> Self {
    Self(.contentTooLarge, "The body is longer than \(limit) bytes.")
  }

  static func tooManyRequests(retryAfter seconds: Int) -> Self {
    Self(
      .tooManyRequests, "Too many requests. Wait before the next one.",
      headers: [.retryAfter: String(seconds)])
  }
}
