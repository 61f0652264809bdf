internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServerHTTP

extension FormParameters {
  private static let longestBody = 64 << 10

  /// The parameters of a posted form.
  static func posted(_ request: Request) async throws -> [String: String] {
    let type = (request.headers[.contentType] ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    guard type == "application/x-www-form-urlencoded" else {
      throw ErrorResponse(.unsupportedMediaType, "Send the parameters as application/x-www-form-urlencoded.")
    }
    let buffer = try await request.body.collect(upTo: longestBody)
    guard let text = String(validating: Array(buffer: buffer), as: UTF8.self) else {
      throw OAuthError(.invalidRequest, "The form is not UTF-8.")
    }
    return try parse(text)
  }
}
