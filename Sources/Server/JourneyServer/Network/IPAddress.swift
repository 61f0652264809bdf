internal import Foundation
internal import NIOCore

/// An IP address. An IPv4 address that is mapped into IPv6 (RFC 4291 §2.5.5.2) is the IPv4 address itself, so that one client
/// has one address whichever socket it comes by.
struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The first eight bytes in network order; 0 for IPv4.
  let high: UInt64

  /// The last eight; for IPv4 `0000ffff` and the address.
  let low: UInt64

  var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  var isLoopback: Bool { isIPv4 ? (low >> 24) & 0xFF == 127 : high == 0 && low == 1 }

  /// The usual text: dotted for IPv4, RFC 5952 for IPv6.
  var description: String {
    if isIPv4 {
      return (0..<4).reversed().map { String((low >> (8 * UInt64($0))) & 0xFF) }.joined(separator: ".")
    }
    var bytes = ByteBuffer()
    bytes.writeInteger(high)
    bytes.writeInteger(low)
    return (try? SocketAddress(packedIPAddress: bytes, port: 0))?.ipAddress ?? ""
  }

  /// What limits count by: an IPv4 address, or the /64 of an IPv6 address, because that much is given to each household and
  /// rented machine, which picks addresses in it as it likes.
  var limitKey: String { isIPv4 ? description : IPAddress(high: high, low: 0).description + "/64" }

}

extension IPAddress {
  /// - Returns: `nil` for a socket that has no IP address.
  init?(_ address: SocketAddress) {
    func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    switch address {
    case .v4(let v4):
      let number = withUnsafeBytes(of: v4.address.sin_addr) { number($0) }
      self.init(high: 0, low: 0xFFFF_0000_0000 | number)
    case .v6(let v6):
      self = withUnsafeBytes(of: v6.address.sin6_addr) {
        IPAddress(high: number($0.prefix(8)), low: number($0.suffix(8)))
      }
    case .unixDomainSocket: return nil
    }
  }

  /// Reads `192.0.2.1` or `2001:db8::1`, without brackets, port and zone.
  init?(_ text: some StringProtocol) {
    guard (2...45).contains(text.utf8.count),
      text.utf8.allSatisfy("0123456789abcdefABCDEF:.".utf8.contains),
      let address = try? SocketAddress(ipAddress: String(text), port: 0)
    else { return nil }
    self.init(address)
  }
}
