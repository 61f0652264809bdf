internal import Foundation
internal import NIOCore

/// The network that an address belongs to, by the registries of special-purpose addresses (RFC 6890 and its successors).
enum AddressScope: Sendable, Hashable {
  case global

  /// This machine.
  case loopback

  /// The server's own network, or one shared with a provider.
  case `private`

  /// Not a destination: documentation, multicast, reserved, tunnels.
  case unusable

  init(_ address: SocketAddress) {
    switch address {
    case .v4(let v4): self.init(v4: withUnsafeBytes(of: v4.address.sin_addr) { Array($0) })
    case .v6(let v6): self.init(v6: withUnsafeBytes(of: v6.address.sin6_addr) { Array($0) })
    case .unixDomainSocket: self = .unusable
    }
  }

  private init(v4 bytes: [UInt8]) {
    switch (bytes[0], bytes[1], bytes[2]) {
    case (127, _, _): self = .loopback
    case (10, _, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _), (169, 254, _): self = .private
    // Linux connects 0.0.0.0 to this machine.
    case (0, _, _), (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100), (203, 0, 113),
      (224..., _, _):
      self = .unusable
    default: self = .global
    }
  }

  private init(v6 bytes: [UInt8]) {
    func word(_ place: Int) -> UInt16 { UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
    let words = stride(from: 0, to: 16, by: 2).map(word)
    switch (words[0], words[1]) {
    // IPv4 in IPv6: mapped, and translated by the network (RFC 6052).
    case (0, 0) where words[2..<5].allSatisfy { $0 == 0 } && words[5] == 0xFFFF,
      (0x64, 0xFF9B) where words[2..<6].allSatisfy { $0 == 0 }:
      self.init(v4: Array(bytes[12...]))
    case (0, 0) where words[2..<7].allSatisfy { $0 == 0 } && words[7] == 1: self = .loopback
    case (0xFC00...0xFDFF, _), (0xFE80...0xFEBF, _): self = .private
    case (0x2001, 0...0x1FF), (0x2001, 0xDB8), (0x2002, _), (0x3FFF, 0...0xFFF): self = .unusable
    case (0x2000...0x3FFF, _): self = .global
    default: self = .unusable
    }
  }
}
