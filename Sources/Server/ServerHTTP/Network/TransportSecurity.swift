package import HTTPTypes

/// Tells browsers to use https only (RFC 6797), once the operator has configured an https address.
package struct TransportSecurity: Sendable {
  package let baseAddress: BaseAddress

  package init(baseAddress: BaseAddress) { self.baseAddress = baseAddress }

  private static let header = HTTPField.Name("Strict-Transport-Security")

  /// A year. Subdomains are not included: they may be other servers.
  private static let value = "max-age=31536000"

  /// Adds the header, unless this request is known to have come by plain HTTP (§7.2).
  package func mark(_ headers: inout HTTPFields, of connection: ClientConnection) {
    guard baseAddress.isSecure, connection.scheme != .http, let header = Self.header else { return }
    headers[header] = Self.value
  }
}
