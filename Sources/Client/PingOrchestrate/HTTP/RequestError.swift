public import Foundation

/// Why a ``Request`` could not be sent.
public enum RequestError: LocalizedError, Sendable, Equatable {
  /// The text is not an absolute URL.
  case invalidURL(String)
  /// Nothing has set a URL.
  case missingURL(reason: String)
  /// The name or the value of a header has a control character, such as a line break.
  case invalidHeader(name: String)
  /// One of the named members of the body holds a value that JSON cannot express.
  case unencodableBody(members: [String])

  /// What failed, and what to do next. Query values are left out: they may be secrets.
  public var errorDescription: String? {
    switch self {
    case .invalidURL(let text):
      "The request was not sent: '\(text.prefix { $0 != "?" })' is not an absolute URL such as https://host/path."
    case .missingURL(let reason):
      "The request was not sent because it has no URL: \(reason)."
    case .invalidHeader(let name):
      "The request was not sent: the header '\(name.filter { !$0.isNewline })' has a control character."
    case .unencodableBody(let members):
      "The request was not sent because its body cannot be written as JSON; look at \(members.joined(separator: ", "))."
    }
  }

  public var failureReason: String? {
    switch self {
    case .invalidURL: "The text is not an absolute URL."
    case .missingURL(let reason): "The request has no URL: \(reason)."
    case .invalidHeader: "A header has a control character, such as a line break."
    case .unencodableBody: "The body holds a value that JSON cannot express."
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .invalidURL: "Set an absolute URL such as https://host/path."
    case .missingURL: "Set the URL of the request, or the server's address in the configuration."
    case .invalidHeader(let name): "Correct the header '\(name.filter { !$0.isNewline })'."
    case .unencodableBody(let members): "Correct the members \(members.joined(separator: ", "))."
    }
  }
}

/// Why the answer to a request could not be read.
public enum ResponseError: LocalizedError, Sendable, Equatable {
  /// The body is not JSON.
  case notJSON(status: Int, reason: String)
  /// The body is longer than the limit. Both values are in bytes.
  case tooLarge(size: Int, limit: Int)

  /// What failed.
  public var errorDescription: String? {
    switch self {
    case .notJSON(let status, let reason): "The server's answer (HTTP \(status)) is not JSON: \(reason)."
    case .tooLarge(let size, let limit):
      "The server's answer has \(size) bytes; more than \(limit) are not read."
    }
  }

  public var failureReason: String? {
    switch self {
    case .notJSON(_, let reason): "The body is not JSON: \(reason)."
    case .tooLarge(_, let limit): "The answer is larger than \(limit) bytes."
    }
  }

  public var recoverySuggestion: String? { "Check that the address is that of the right server." }
}
