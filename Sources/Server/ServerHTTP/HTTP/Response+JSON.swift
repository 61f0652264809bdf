package import HTTPTypes
package import Hummingbird
internal import NIOCore
package import StrictJSON

extension Response {
  /// An answer of one JSON object.
  package static func json(
    _ object: JSONObject, status: HTTPResponse.Status = .ok, headers extra: HTTPFields = HTTPFields()
  ) -> Response {
    var headers = jsonHeaders
    for field in extra { headers.append(field) }
    return Response(status: status, headers: headers, body: ResponseBody(bytes: object.serialized))
  }

  /// Headers of all answers: no caching, no content sniffing, no framing by other sites.
  static let jsonHeaders: HTTPFields = {
    var headers: HTTPFields = [
      .contentType: "application/json;charset=UTF-8", .cacheControl: "no-store",
      .xContentTypeOptions: "nosniff",
    ]
    headers["X-Frame-Options"] = "SAMEORIGIN"
    return headers
  }()
}

extension ResponseBody {
  package init(bytes: [UInt8]) { self.init(byteBuffer: ByteBuffer(bytes: bytes)) }
}

extension JSONObject {
  /// The answer to a query in PingAM's form: all results on one page.
  package static func queryResult(_ results: [JSONObject]) -> JSONObject {
    [
      "result": .array(results.map(JSONValue.object)), "resultCount": .integer(Int64(results.count)),
      "pagedResultsCookie": .null, "totalPagedResultsPolicy": "NONE", "totalPagedResults": -1,
      "remainingPagedResults": -1,
    ]
  }

  /// This object with `_id` and `_rev` in front. The revision changes with the content.
  package func identified(by id: String) -> JSONObject {
    // FNV-1a, 32 bits: a revision is compared, and protects nothing.
    var hash: UInt32 = 0x811C_9DC5
    for byte in serialized { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    var result: JSONObject = ["_id": .string(id), "_rev": .string(String(hash))]
    result.merge(self)
    return result
  }
}
