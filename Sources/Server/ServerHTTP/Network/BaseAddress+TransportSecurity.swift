package import HTTPTypes

extension BaseAddress {
  /// A year. Subdomains are not included: they may be other servers.
  private static let transportSecurity = "max-age=31536000"

  /// Tells browsers to use https only (RFC 6797) if the operator has configured an https address, unless this request is known to have come
  /// by plain HTTP (§7.2).
  package func requireTransportSecurity(_ headers: inout HTTPFields, of connection: ClientConnection) {
    guard isSecure, connection.scheme != .http else { return }
    headers[.strictTransportSecurity] = Self.transportSecurity
  }
}
