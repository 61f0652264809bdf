internal import HTTPTypes

/// Tells browsers to come by https only (RFC 6797), once the operator said that this is how clients come.
struct TransportSecurity: Sendable {
  let baseAddress: BaseAddress

  private static let header = HTTPField.Name("Strict-Transport-Security")

  /// A year. Other hosts below this one are not ours to speak for.
  private static let value = "max-age=31536000"

  /// Adds the header, unless this request is known to have come by plain HTTP (§7.2).
  func mark(_ headers: inout HTTPFields, of connection: ClientConnection) {
    guard baseAddress.isSecure, connection.scheme != .http, let header = Self.header else { return }
    headers[header] = Self.value
  }
}
