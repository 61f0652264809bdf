internal import HTTPTypes
package import Hummingbird
internal import NIOCore
package import StrictJSON

/// Reads what clients post: one JSON object, or nothing.
package enum RequestBodyReader {
  /// The request with its whole body in memory; unchanged when its method has no body.
  ///
  /// - Parameters:
  ///   - limit: bytes.
  ///   - address: whose share of the budget the body takes while it is received.
  /// - Throws: 413 when the body is longer than `limit` bytes: before any is read, when the request says its length. 503
  ///   when the budget has no room.
  static func received(
    _ request: Request, limit: Int, budget: BodyBudget, address: String
  ) async throws -> Request {
    guard request.method != .get, request.method != .head else { return request }
    if let length = request.headers.value(of: .contentLength), Int(length).map({ $0 > limit }) ?? true {
      throw ErrorResponse.contentTooLarge(limit: limit)
    }
    var (body, taken) = (ByteBuffer(), 0)
    defer { budget.release(taken, address: address) }
    do {
      for try await part in request.body {
        let count = part.readableBytes
        guard body.readableBytes + count <= limit else { throw ErrorResponse.contentTooLarge(limit: limit) }
        guard budget.take(count, address: address) else {
          throw ErrorResponse.unavailable("bodies under way take all the memory that \(address) may have")
        }
        taken += count
        body.writeImmutableBuffer(part)
      }
    } catch {
      if error is ErrorResponse || error is CancellationError { throw error }
      // The client went away, was late, or ended its stream: the server did not fail.
      throw ErrorResponse(.badRequest, "The body is incomplete.", cause: "\(error)")
    }
    var request = request
    request.body = RequestBody(buffer: body)
    return request
  }

  /// The body's object; an empty one when there is no body.
  ///
  /// - Throws: 415 when it is not declared as JSON, 400 when it is not a JSON object.
  package static func object(of request: Request) async throws -> JSONObject {
    let bytes = try await bytes(of: request)
    guard !bytes.isEmpty else { return JSONObject() }
    guard let object = try JSONValue(parsing: bytes).objectValue else {
      throw ErrorResponse.badRequest("The body is not a JSON object.")
    }
    return object
  }

  /// The body's bytes, for callers that parse them themselves.
  ///
  /// - Throws: 415 when it is not declared as JSON.
  package static func bytes(of request: Request) async throws -> [UInt8] {
    let buffer = try await request.body.collect(upTo: longestBody)
    guard buffer.readableBytes == 0 || isJSON(request.headers.value(of: .contentType)) else {
      throw ErrorResponse(.unsupportedMediaType, "Send the body as application/json.")
    }
    return Array(buffer: buffer)
  }

  /// ``received(_:limit:budget:address:)`` has bounded the body already; this is the JSON parser's limit.
  private static let longestBody = JSONLimits().maximumBytes

  /// Whether a `Content-Type` is `application/json`, with any parameters (RFC 9110 §8.3.1).
  static func isJSON(_ contentType: String?) -> Bool {
    guard let contentType else { return false }
    let type = contentType.utf8.lazy.prefix { $0 != UInt8(ascii: ";") }
      .filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    return type.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.elementsEqual("application/json".utf8)
  }
}

extension JSONObject {
  /// An optional member, which must be a text.
  package func text(_ name: String) throws(ErrorResponse) -> String? {
    guard let value = self[name], !value.isNull else { return nil }
    guard let text = value.stringValue else { throw .badRequest("The member \(name) must be a text.") }
    return text
  }
}
