internal import Foundation

/// The address under which clients reach the server, as it goes into enrolment codes.
struct BaseAddress: Sendable {
  private let configured: String?

  /// Whether the configured address is `https`.
  let isSecure: Bool

  /// The configured address's web origin (RFC 6454 §6.2).
  let origin: String?

  /// - Throws: ``ServerSetupError`` when `configured` is not an HTTP address.
  init(_ configured: String?) throws {
    guard var text = configured else {
      self.configured = nil
      isSecure = false
      origin = nil
      return
    }
    while text.hasSuffix("/") { text.removeLast() }
    guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty, url.query == nil,
      url.fragment == nil, url.user == nil
    else {
      throw ServerSetupError(
        "The public URL \(text.debugDescription) is not an address such as https://id.example.com/am.")
    }
    self.configured = text
    isSecure = scheme == "https"
    origin = Self.origin(scheme: scheme, host: url.port.map { "\(host):\($0)" } ?? host)
  }

  /// The configured address, else the host that the request names; empty when it names none. Who sends a false name gets
  /// it back in an answer of its own and nobody else does.
  func address(for connection: ClientConnection) -> String {
    if let configured { return configured }
    guard let host = connection.host else { return "" }
    return "\(connection.scheme ?? .http)://\(host)/am"
  }

  /// A web origin in the one form that browsers send: lower case, without the scheme's own port.
  ///
  /// - Parameter host: with or without port.
  static func origin(scheme: String, host: String) -> String {
    var host = host.lowercased()
    let port = scheme == "https" ? ":443" : ":80"
    if host.hasSuffix(port) { host.removeLast(port.count) }
    return "\(scheme)://\(host)"
  }
}
