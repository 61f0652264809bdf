internal import WebAddresses

/// The address under which clients reach the server, as it goes into enrolment codes.
struct BaseAddress: Sendable {
  private let configured: String?

  /// The configured address's web origin.
  let origin: WebOrigin?

  /// Whether the configured address is `https`.
  var isSecure: Bool { origin?.isHTTPS == true }

  /// - Throws: ``ServerSetupError`` when `configured` is not an HTTP address.
  init(_ configured: String?) throws {
    guard var text = configured else {
      (self.configured, origin) = (nil, nil)
      return
    }
    while text.hasSuffix("/") { text.removeLast() }
    guard let origin = WebOrigin(address: text), !text.contains(where: { "?#".contains($0) }) else {
      throw ServerSetupError(
        "The public URL \(text.debugDescription) is not an address such as https://id.example.com/am.")
    }
    self.configured = text
    self.origin = origin
  }

  /// The address for links that leave by mail: the configured one, else only one that names the client's own machine, as while
  /// somebody develops. `nil` otherwise, for a mail with a link to a host of the client's choice would hand its reader over to it.
  func mailAddress(for connection: ClientConnection) -> String? {
    if let configured { return configured }
    let address = address(for: connection)
    return WebOrigin(address: address)?.isLoopback == true ? address : nil
  }

  /// The configured address, else one with the host that the request names; empty when it names none. A client that sends a
  /// false host gets it back in its own answer only.
  func address(for connection: ClientConnection) -> String {
    if let configured { return configured }
    guard let host = connection.host else { return "" }
    return "\(connection.scheme ?? .http)://\(host)/am"
  }
}
