internal import Concurrency
internal import WebAddresses

/// The address under which clients reach the server, as it goes into enrolment codes.
struct BaseAddress: Sendable {
  private let configured: String?

  /// The addresses of single realms, by name.
  private let realms: [String: String]

  /// The last address that was asked whether it is the client's own machine, with the answer: nearly always the same one.
  private let latest = Locked<(address: String, isLoopback: Bool)?>(nil)

  /// The configured address's web origin.
  let origin: WebOrigin?

  /// Whether the configured address is `https`.
  var isSecure: Bool { origin?.isHTTPS == true }

  /// - Throws: ``ServerSetupError`` when `configured` is not an HTTP address.
  init(_ configured: String?, realms: [String: String] = [:]) throws {
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
  func address(for connection: ClientConnection, realm: String) -> String {
    realms[realm] ?? address(for: connection)
  }

  /// The address for links that leave by mail: the configured one, else only one that names the client's own machine, as while
  /// somebody develops. `nil` otherwise, for a mail with a link to a host of the client's choice would hand its reader over to it.
  func mailAddress(for connection: ClientConnection, realm: String) -> String? {
    if let own = realms[realm] ?? configured { return own }
    let address = address(for: connection)
    return isLoopback(address) ? address : nil
  }

  private func isLoopback(_ address: String) -> Bool {
    if let known = latest.withLock({ $0 }), known.address == address { return known.isLoopback }
    let isLoopback = WebOrigin(address: address)?.isLoopback == true
    latest.withLock { $0 = (address, isLoopback) }
    return isLoopback
  }

  /// The configured address, else one with the host that the request names; empty when it names none. A client that sends a
  /// false host gets it back in its own answer only.
  func address(for connection: ClientConnection) -> String {
    if let configured { return configured }
    guard let host = connection.host else { return "" }
    return "\(connection.scheme ?? .http)://\(host)/am"
  }
}
