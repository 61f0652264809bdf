internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import StrictJSON

/// Reads what clients post: one JSON object, or nothing.
enum RequestBodyReader {
  /// The request with its whole body in memory, for those below; one with a method that takes no body as it is.
  ///
  /// - Throws: 413 when the body is longer than `limit` bytes: before any is read, when the request says its length.
  static func received(_ request: Request, limit: Int) async throws -> Request {
    guard request.method != .get, request.method != .head else { return request }
    if let length = request.headers[.contentLength], Int(length).map({ $0 > limit }) ?? true {
      throw ErrorResponse.contentTooLarge(limit: limit)
    }
    var request = request
    do { _ = try await request.collectBody(upTo: limit) } catch is NIOTooManyBytesError {
      throw ErrorResponse.contentTooLarge(limit: limit)
    }
    return request
  }

  /// The body's object; an empty one when there is no body.
  ///
  /// - Throws: 415 when it is not declared as JSON, 400 when it is not a JSON object.
  static func object(of request: Request) async throws -> JSONObject {
    let bytes = try await bytes(of: request)
    guard !bytes.isEmpty else { return JSONObject() }
    guard let object = try JSONValue(parsing: bytes).objectValue else {
      throw ErrorResponse.badRequest("The body is not a JSON object.")
    }
    return object
  }

  /// The body's bytes, for those who parse them themselves.
  ///
  /// - Throws: 415 when it is not declared as JSON.
  static func bytes(of request: Request) async throws -> [UInt8] {
    let buffer = try await request.body.collect(upTo: longestBody)
    guard buffer.readableBytes == 0 || isJSON(request.headers[.contentType]) else {
      throw ErrorResponse(.unsupportedMediaType, "Send the body as application/json.")
    }
    return Array(buffer: buffer)
  }

  /// What ``received(_:limit:)`` has let through is taken as it is, up to what the JSON parser takes.
  private static let longestBody = JSONLimits().maximumBytes

  /// Whether a `Content-Type` is `application/json`, with any parameters (RFC 9110 §8.3.1).
  static func isJSON(_ contentType: String?) -> Bool {
    guard let contentType else { return false }
    let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
    return type.lowercased() == "application/json"
  }
}
