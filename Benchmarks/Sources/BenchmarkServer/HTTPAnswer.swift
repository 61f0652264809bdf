import Foundation

/// Just enough HTTP/1.1 for answers with Content-Length, so that devices cost little processor time beside the servers that they measure.
public struct HTTPAnswer: Sendable {
  public let status: Int
  public let body: [UInt8]

  /// Reads an answer; `nil` until head and body have arrived in full.
  public init?(_ received: [UInt8]) {
    let separator: [UInt8] = [13, 10, 13, 10]
    guard let end = received.firstRange(of: separator) else { return nil }
    let head = String(decoding: received[..<end.lowerBound], as: UTF8.self).lowercased()
    guard let field = head.range(of: "content-length: "),
      let length = Int(head[field.upperBound...].prefix { $0.isNumber }),
      received.count >= end.upperBound + length, let status = Int(head.dropFirst(9).prefix(3))
    else { return nil }
    self.status = status
    body = Array(received[end.upperBound..<end.upperBound + length])
  }

  /// The head of a request that posts so many bytes.
  ///
  /// - Parameter fields: further header fields, each with its line's end.
  public static func post(_ path: String, count: Int, fields: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)Content-Length: \(count)\r\n\r\n"
  }

  /// The header fields of requests with JSON.
  public static let jsonFields =
    "Content-Type: application/json\r\nAccept-API-Version: resource=2.1, protocol=1.0\r\n"
}
