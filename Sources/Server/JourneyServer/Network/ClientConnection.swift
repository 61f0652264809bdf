/// Who sent a request, and by what address they reached the server, as far as that can be believed.
struct ClientConnection: Sendable, Equatable {
  enum Scheme: String, Sendable {
    case http, https
  }

  /// The client's address; `nil` for requests that come from no socket.
  var address: IPAddress?

  /// How the client reached the server, or the proxy before it; `nil` when that is unknown, because plain HTTP may come from a
  /// proxy that was not declared.
  var scheme: Scheme?

  /// Host and port that the client asked for; `nil` when the request names none that could be one.
  var host: String?

  /// - Parameter host: as requests name it; dropped unless it looks like a host.
  init(address: IPAddress?, scheme: Scheme? = nil, host: String? = nil) {
    self.address = address
    self.scheme = scheme
    self.host = host.flatMap { Self.isHost($0) ? $0 : nil }
  }

  /// The client's address without port, for logs and for people; empty when there is none.
  var clientAddress: String { address?.description ?? "" }

  /// What limits count the client by: its address, of IPv6 the /64; empty when there is none.
  var limitKey: String { address?.limitKey ?? "" }

  /// Whether the text can stand in a URL as host and port.
  static func isHost(_ text: some StringProtocol) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
          true
        default: false
        }
      }
  }
}
