internal import Foundation

/// An IP address. An IPv4 address that is mapped into IPv6 (RFC 4291 §2.5.5.2) is the IPv4 address itself, so that one client
/// has one address whichever socket it comes by.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The first eight bytes in network order; 0 for IPv4.
  package let high: UInt64

  /// The last eight; for IPv4 `0000ffff` and the address.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// - Parameter ipv4: the four bytes as a number.
  package init(ipv4: UInt32) { self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(ipv4)) }

  /// Reads `192.0.2.1` or `2001:db8::1`, without brackets, port and zone.
  package init?(_ text: some StringProtocol) {
    guard (2...45).contains(text.utf8.count),
      text.utf8.allSatisfy("0123456789abcdefABCDEF:.".utf8.contains)
    else { return nil }
    let text = String(text)
    var (four, sixteen) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(ipv4: UInt32(bigEndian: four.s_addr))
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      self = withUnsafeBytes(of: sixteen) {
        IPAddress(high: Self.number($0.prefix(8)), low: Self.number($0.suffix(8)))
      }
    } else {
      return nil
    }
  }

  /// The number whose bytes in network order these are.
  package static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  package var isLoopback: Bool { isIPv4 ? (low >> 24) & 0xFF == 127 : high == 0 && low == 1 }

  /// The usual text: dotted for IPv4, RFC 5952 for IPv6.
  package var description: String {
    if isIPv4 {
      return (0..<4).reversed().map { String((low >> (8 * UInt64($0))) & 0xFF) }.joined(separator: ".")
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

  /// What limits count by: an IPv4 address, or the /64 of an IPv6 address, because that much is given to each household and
  /// rented machine, which picks addresses in it as it likes.
  package var limitKey: String {
    isIPv4 ? description : IPAddress(high: high, low: 0).description + "/64"
  }
}

extension IPAddress: Comparable {
  /// In the order of the bytes. All IPv4 addresses lie together.
  package static func < (lhs: IPAddress, rhs: IPAddress) -> Bool { (lhs.high, lhs.low) < (rhs.high, rhs.low) }
}
