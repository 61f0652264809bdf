internal import HTTPTypes
internal import JourneyEngine
internal import JourneyStore
internal import NIOCore
internal import NIOHTTP1
internal import PasswordHashing
internal import SecurityEvents
internal import StrictJSON

/// An answer other than success, in PingAM's common form: `code`, `reason`, `message`, and sometimes `detail`.
struct ErrorResponse: Error {
  var status: HTTPResponse.Status

  /// What the client reads.
  var message: String
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

// MARK: - Mapping

extension ErrorResponse {
  /// Maps any error of the layers below. The only place that does.
  init(mapping error: any Error) {
    switch error {
    case let error as ErrorResponse: self = error
    case let error as JourneyRefusal: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as PasswordHashingError: self.init(error)
    case let error as SecurityEventError: self = .unavailable(error.description)
    case let error as JSONError: self = .badRequest("The body is not JSON: \(error).")
    case is NIOTooManyBytesError: self.init(.contentTooLarge, "The body is too long.")
    // The client went away or was late: nobody reads this, and the server did not fail.
    case is HTTPParserError: self.init(.badRequest, "The body is incomplete.")
    case is CancellationError: self = .unavailable("the request was cancelled")
    default: self.init(.internalServerError, "Internal Server Error", cause: "\(error)")
    }
  }

  private init(_ refusal: JourneyRefusal) {
    switch refusal {
    case .unknownJourney: self = .badRequest("There is no such journey in this realm.")
    case .stale: self.init(.unauthorized, "Session has timed out", detail: ["errorCode": "110"])
    case .badReply(let problem): self = .badRequest("The answer does not fit the callbacks: \(problem).")
    case .unavailable: self = .unavailable("")
    }
    cause = refusal.description
  }

  private init(_ error: StoreError) {
    switch error {
    case .conflict: self.init(.conflict, "It already exists.")
    case .missing: self.init(.notFound, "It does not exist.")
    case .lastAdministrator: self.init(.conflict, "The root realm keeps at least one active administrator.")
    case .unauthorized: self = .accessDenied("")
    case .exhausted: self = .tooManyRequests(retryAfter: 60)
    case .unavailable: self = .unavailable("")
    case .corrupt: self.init(.internalServerError, "Internal Server Error")
    }
    cause = error.description
  }

  private init(_ error: PasswordHashingError) {
    switch error {
    case .overloaded: self = .unavailable("")
    case .passwordLength:
      self = .badRequest("\(error.description.prefix(1).uppercased())\(error.description.dropFirst()).")
    case .unusableHash, .failed: self.init(.internalServerError, "Internal Server Error")
    }
    cause = error.description
  }
}
