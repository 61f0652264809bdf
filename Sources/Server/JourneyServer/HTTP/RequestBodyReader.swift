internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import StrictJSON

/// Reads what clients post: one JSON object, or nothing.
enum RequestBodyReader {
  /// Longest accepted body.
  static let maximumBytes = 1 << 20

  /// The body's object; an empty one when there is no body.
  ///
  /// - Throws: 413 when it is too long, 415 when it is not declared as JSON, 400 when it is not a JSON object.
  static func object(of request: Request) async throws -> JSONObject {
    let buffer = try await request.body.collect(upTo: maximumBytes)
    guard buffer.readableBytes > 0 else { return JSONObject() }
    guard isJSON(request.headers[.contentType]) else {
      throw ErrorResponse(.unsupportedMediaType, "Send the body as application/json.")
    }
    guard let object = try JSONValue(parsing: Array(buffer: buffer)).objectValue else {
      throw ErrorResponse.badRequest("The body is not a JSON object.")
    }
    return object
  }

  /// The body's bytes, at most `limit` of them, for those who parse them themselves.
  ///
  /// - Throws: 413 when it is too long, 415 when it is not declared as JSON.
  static func bytes(of request: Request, limit: Int) async throws -> [UInt8] {
    let buffer: ByteBuffer
    do { buffer = try await request.body.collect(upTo: limit) } catch is NIOTooManyBytesError {
      throw ErrorResponse(.contentTooLarge, "The body is longer than \(limit) bytes.")
    }
    guard buffer.readableBytes == 0 || isJSON(request.headers[.contentType]) else {
      throw ErrorResponse(.unsupportedMediaType, "Send the body as application/json.")
    }
    return Array(buffer: buffer)
  }

  /// Whether a `Content-Type` is `application/json`, with any parameters (RFC 9110 §8.3.1).
  static func isJSON(_ contentType: String?) -> Bool {
    guard let contentType else { return false }
    let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
    return type.lowercased() == "application/json"
  }
}
