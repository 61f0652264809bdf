internal import NIOCore
internal import WebAddresses

extension IPAddress {
  /// - Returns: `nil` for a socket that has no IP address.
  init?(_ address: SocketAddress) {
    guard let text = address.ipAddress else { return nil }
    self.init(text)
  }
}
