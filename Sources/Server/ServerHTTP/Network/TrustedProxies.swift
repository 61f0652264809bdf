internal import Bytes
package import HTTPTypes
package import WebAddresses

/// Finds out who sent a request: the other end of the connection, or the client that it names when it is a proxy that the operator
/// trusts.
package struct TrustedProxies: Sendable {
  package let blocks: [AddressBlock]

  /// Whether this process itself speaks TLS.
  package let isTLS: Bool

  package init(blocks: [AddressBlock], isTLS: Bool) {
    (self.blocks, self.isTLS) = (blocks, isTLS)
  }

  /// Longer headers and longer chains of proxies are not trusted: a client may have written most of them.
  private static let maximumBytes = 4096
  private static let maximumHops = 16

  package static let requestID = HTTPField.Name("X-Request-Id")
  private static let forwarded = HTTPField.Name("Forwarded")
  private static let forwardedFor = HTTPField.Name("X-Forwarded-For")
  private static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")
  private static let forwardedHost = HTTPField.Name("X-Forwarded-Host")

  /// - Parameter peer: the other end of the connection.
  package func connection(of request: HTTPRequest, peer: IPAddress?) -> ClientConnection {
    var connection = ClientConnection(
      address: peer, scheme: isTLS ? .https : nil, host: request.authority)
    guard let peer, isTrusted(peer) else { return connection }
    let standard = Self.text(Self.forwarded, of: request).map { self.standard($0, peer: peer) }
    let customary = Self.text(Self.forwardedFor, of: request).map { self.client(inAddresses: $0, peer: peer) }
    // A proxy sets one of the two and may pass on the client's other one. The server cannot tell which, so both count only when
    // they agree.
    if let standard, let customary, standard.address != customary { return connection }
    connection.address = standard?.address ?? customary ?? peer
    let told = standard?.scheme ?? (standard == nil || customary != nil ? Self.scheme(of: request) : nil)
    connection.scheme = told ?? connection.scheme
    connection.host =
      standard?.host ?? (standard == nil || customary != nil ? Self.host(of: request) : nil)
      ?? connection.host
    return connection
  }

  /// The id that a trusted proxy gave the request (`X-Request-Id`), so that its log and this server's can be joined. `nil` when there is
  /// none, or it is not a word of up to 128 letters, digits, `-`, `.` and `_`. Clients cannot choose it: they could give many requests the
  /// same id, or use another's.
  package func requestID(of request: HTTPRequest, peer: IPAddress?) -> String? {
    guard let peer, isTrusted(peer), let name = Self.requestID, let id = request.headerFields[name],
      (1...128).contains(id.utf8.count),
      id.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-._".utf8.contains($0) })
    else { return nil }
    return id
  }

  func isTrusted(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

  // MARK: Forwarded

  /// The connection as the proxies report it, from the nearest to the first address that is not trusted, which is the client's.
  private func standard(_ text: String, peer: IPAddress) -> ClientConnection {
    var connection = ClientConnection(address: peer)
    for text in ListFromRight(text).prefix(Self.maximumHops) {
      guard let element = ForwardedElement(text) else { break }
      connection.scheme = element.scheme ?? connection.scheme
      connection.host = element.host ?? connection.host
      guard let client = element.client else { break }
      connection.address = client
      guard isTrusted(client) else { break }
    }
    return connection
  }

  // MARK: X-Forwarded-*

  private func client(inAddresses text: String, peer: IPAddress) -> IPAddress {
    var client = peer
    for element in ListFromRight(text).prefix(Self.maximumHops) {
      guard let address = Self.address(element) else { break }
      client = address
      guard isTrusted(address) else { break }
    }
    return client
  }

  /// An address; some proxies add the port, and brackets.
  private static func address(_ text: Substring) -> IPAddress? {
    IPAddress(text) ?? ForwardedElement.host(of: text).flatMap { IPAddress($0) }
  }

  /// The scheme that the nearest proxy reports.
  private static func scheme(of request: HTTPRequest) -> ClientConnection.Scheme? {
    last(forwardedProto, of: request).flatMap { ClientConnection.Scheme(rawValue: $0.lowercased()) }
  }

  private static func host(of request: HTTPRequest) -> String? {
    last(forwardedHost, of: request).flatMap { ClientConnection.isHost($0) ? String($0) : nil }
  }

  private static func last(_ name: HTTPField.Name?, of request: HTTPRequest) -> Substring? {
    guard let text = text(name, of: request) else { return nil }
    var list = ListFromRight(text)
    return list.next()
  }

  /// All fields of that name as one list (RFC 9110 §5.3); empty when it is too long.
  private static func text(_ name: HTTPField.Name?, of request: HTTPRequest) -> String? {
    guard let name, request.headerFields.contains(name) else { return nil }
    let values = request.headerFields[values: name]
    guard values.reduce(0, { $0 + $1.utf8.count + 2 }) <= maximumBytes else { return "" }
    return values.joined(separator: ", ")
  }
}
