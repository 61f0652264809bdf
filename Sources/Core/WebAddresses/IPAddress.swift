internal import Bytes
internal import Foundation

/// An IP address. An IPv4 address that is mapped into IPv6 (RFC 4291 §2.5.5.2) is the IPv4 address itself, so that a client has the same
/// address on every socket.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The first eight bytes in network order; 0 for IPv4.
  package let high: UInt64

  /// The last eight; for IPv4 `0000ffff` and the address.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// - Parameter ipv4: the four bytes as a number.
  package init(ipv4: UInt32) { self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(ipv4)) }

  /// - Parameter ipv6: the 16 bytes in network order.
  package init(ipv6: UnsafeRawBufferPointer) {
    self.init(high: Self.number(ipv6.prefix(8)), low: Self.number(ipv6.suffix(8)))
  }

  /// Reads `192.0.2.1` or `2001:db8::1`, without brackets, port and zone.
  package init?(_ text: some StringProtocol) {
    guard (2...45).contains(text.utf8.count),
      text.utf8.allSatisfy({ Hexadecimal.isDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
    else { return nil }
    let text = String(text)
    var (four, sixteen) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(ipv4: UInt32(bigEndian: four.s_addr))
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      self = withUnsafeBytes(of: sixteen, IPAddress.init(ipv6:))
    } else {
      return nil
    }
  }

  /// The number with these bytes in network order.
  package static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  package var isLoopback: Bool { isIPv4 ? (low >> 24) & 0xFF == 127 : high == 0 && low == 1 }

  /// The usual text: dotted for IPv4, RFC 5952 for IPv6.
  package var description: String {
    if isIPv4 {
      return "\(low >> 24 & 0xFF).\(low >> 16 & 0xFF).\(low >> 8 & 0xFF).\(low & 0xFF)"
    }
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) { bytes in
      bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The key for rate limits: an IPv4 address, or the /64 of an IPv6 address, because each household and rented machine gets a /64 and
  /// chooses addresses in it freely.
  package var limitKey: String {
    isIPv4 ? description : IPAddress(high: high, low: 0).description + "/64"
  }
}

extension IPAddress: Comparable {
  /// Orders addresses by their bytes. All IPv4 addresses are adjacent.
  package static func < (lhs: IPAddress, rhs: IPAddress) -> Bool { (lhs.high, lhs.low) < (rhs.high, rhs.low) }
}
