internal import Operations
package import WebAddresses

/// The address under which clients reach the server, as it goes into enrolment codes.
package struct BaseAddress: Sendable {
  private let configured: String?

  /// The server's path on its host.
  package let basePath: BasePath

  /// The addresses of single realms, by name.
  private let realms: [String: String]

  /// The configured address's web origin.
  package let origin: WebOrigin?

  /// Whether the configured address is `https`.
  package var isSecure: Bool { origin?.isHTTPS == true }

  /// - Throws: ``ServerSetupError`` when `configured` is not an HTTP address.
  package init(_ configured: String?, realms: [String: String] = [:], basePath: BasePath = .standard) throws {
    self.basePath = basePath
    self.realms = try realms.mapValues { try Self.checked($0).text }
    guard let configured else {
      (self.configured, origin) = (nil, nil)
      return
    }
    let (text, origin) = try Self.checked(configured)
    self.configured = text
    self.origin = origin
  }

  private static func checked(_ address: String) throws -> (text: String, origin: WebOrigin) {
    var text = address
    while text.hasSuffix("/") { text.removeLast() }
    guard let origin = WebOrigin(address: text), !text.contains(where: { "?#".contains($0) }) else {
      throw ServerSetupError(
        "The public URL \(text.debugDescription) is not an address such as https://id.example.com/am.")
    }
    return (text, origin)
  }

  /// The address of `realm`: its own, if it has one, else the server's.
  package func address(for connection: ClientConnection, realm: String) -> String {
    realms[realm] ?? address(for: connection)
  }

  /// Whether the address of `realm` is configured and does not depend on the client.
  package func isConfigured(realm: String) -> Bool { configured != nil || realms[realm] != nil }

  /// The configured address, else one with the host that the request names; empty when it names none. A client that sends a
  /// false host gets it back in its own answer only.
  package func address(for connection: ClientConnection) -> String {
    if let configured { return configured }
    return connection.origin.map { $0 + basePath.text } ?? ""
  }
}
