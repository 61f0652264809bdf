package import NIOCore
internal import WebAddresses

extension IPAddress {
  /// - Returns: `nil` for a socket that has no IP address.
  package init?(_ address: SocketAddress) {
    // Offsets are the same on all systems (RFC 3493 §3.3), while the module that names the members depends on the build.
    let place: Range<Int>
    switch address {
    case .v4: place = 4..<8
    case .v6: place = 8..<24
    case .unixDomainSocket: return nil
    }
    self = address.withSockAddr { start, count in
      let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(start: start, count: count)[place])
      return bytes.count == 4
        ? IPAddress(ipv4: UInt32(truncatingIfNeeded: IPAddress.number(bytes))) : IPAddress(ipv6: bytes)
    }
  }
}
