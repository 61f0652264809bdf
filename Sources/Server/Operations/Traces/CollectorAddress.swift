internal import Foundation

/// The address that spans are sent to.
enum CollectorAddress {
  private static let path = "/v1/traces"

  /// `text` with the path of traces, as OpenTelemetry completes addresses.
  ///
  /// - Throws: ``ServerSetupError`` for anything that is not a plain address by http or https. It does not repeat the text, which may
  ///   hold a password.
  static func complete(_ text: String) throws(ServerSetupError) -> String {
    guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
      parts.host?.isEmpty == false, parts.user == nil, parts.password == nil, parts.query == nil,
      parts.fragment == nil
    else {
      throw ServerSetupError(
        "--otlp-endpoint must be an address such as http://127.0.0.1:4318, without a password, query or fragment."
      )
    }
    let base = text.hasSuffix("/") ? String(text.dropLast()) : text
    return base.hasSuffix(path) ? base : base + path
  }
}
