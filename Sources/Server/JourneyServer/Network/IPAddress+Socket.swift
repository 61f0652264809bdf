internal import Foundation
internal import NIOCore
internal import WebAddresses

extension IPAddress {
  /// - Returns: `nil` for a socket that has no IP address.
  init?(_ address: SocketAddress) {
    switch address {
    case .v4(let address): self.init(ipv4: UInt32(bigEndian: address.address.sin_addr.s_addr))
    case .v6(let address): self = withUnsafeBytes(of: address.address.sin6_addr, IPAddress.init(ipv6:))
    case .unixDomainSocket: return nil
    }
  }
}
