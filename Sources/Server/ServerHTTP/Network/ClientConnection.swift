internal import Bytes
internal import WebAddresses

/// Who sent a request, and at what address they reached the server, as far as that can be trusted.
package struct ClientConnection: Sendable, Equatable {
  enum Scheme: String, Sendable {
    case http, https
  }

  /// The client's address; `nil` for requests that come from no socket.
  var address: IPAddress? {
    didSet { clientAddress = address?.description ?? "" }
  }

  /// The client's address without port, for logs and for people; empty when there is none.
  package private(set) var clientAddress: String

  /// How the client reached the server or its proxy; `nil` when that is unknown, because plain HTTP may come from a proxy that
  /// was not declared.
  var scheme: Scheme?

  /// Host and port that the client asked for; `nil` when the request has no valid ones.
  package var host: String?

  /// - Parameter host: as the request names it; dropped when invalid.
  init(address: IPAddress?, scheme: Scheme? = nil, host: String? = nil) {
    self.address = address
    clientAddress = address?.description ?? ""
    self.scheme = scheme
    self.host = host.flatMap { Self.isHost($0) ? $0 : nil }
  }

  /// The origin that the client asked for, such as `https://id.example.com`; `nil` when it named no host.
  package var origin: String? { host.map { (scheme ?? .http).rawValue + "://" + $0 } }

  /// The key by which limits count the client: its address, or the /64 of an IPv6 address; empty when there is none.
  package var limitKey: String { address.map { $0.isIPv4 ? clientAddress : $0.limitKey } ?? "" }

  /// Whether the text can stand in a URL as host and port.
  static func isHost(_ text: some StringProtocol) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._:[]".utf8.contains($0) }
  }
}
