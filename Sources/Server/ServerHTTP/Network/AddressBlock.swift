public import Operations
internal import WebAddresses

/// A block of IP addresses in CIDR notation (RFC 4632, RFC 4291 §2.3), such as `10.0.0.0/8`, `2001:db8::/32` or one address.
public struct AddressBlock: Sendable, Hashable, CustomStringConvertible {
  private let base: IPAddress

  /// How many leading bits all its addresses share, of IPv6's 128.
  private let length: Int

  public let description: String

  /// - Throws: ``ServerSetupError`` when `text` is not a block, has bits behind its length, which is usually a mistake, or is the block of
  ///   all addresses, because then anybody could forge the header.
  public init(_ text: String) throws(ServerSetupError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let base = IPAddress(parts[0]) else {
      throw ServerSetupError(
        "\(text.debugDescription) is not a block of addresses such as 10.0.0.0/8 or ::1.")
    }
    let bits = base.isIPv4 ? 32 : 128
    var prefix = bits
    if parts.count == 2 {
      guard parts[1].utf8.count <= 3, let number = Int(parts[1]), parts[1] == String(number),
        (0...bits).contains(number)
      else {
        throw ServerSetupError(
          "\(text.debugDescription) must have a prefix length from 1 to \(bits) after the slash.")
      }
      guard number > 0 else {
        throw ServerSetupError(
          "\(text.debugDescription) contains all addresses, so anybody could forge theirs. Name the proxies.")
      }
      prefix = number
    }
    self.base = base
    length = 128 - bits + prefix
    description = text
    guard Self.cut(base, to: length) == base else {
      throw ServerSetupError(
        "\(text.debugDescription) has bits behind its prefix length. Did you mean \(Self.cut(base, to: length))/\(prefix)?"
      )
    }
  }

  func contains(_ address: IPAddress) -> Bool {
    // An IPv4 block is within ::ffff:0:0/96, so that no IPv6 address is in it; an IPv6 block may hold that whole range.
    address.isIPv4 == base.isIPv4 && Self.cut(address, to: length) == base
  }

  /// The address with the bits behind the first `length` set to zero.
  private static func cut(_ address: IPAddress, to length: Int) -> IPAddress {
    IPAddress(
      high: address.high & mask(min(length, 64)), low: address.low & mask(max(0, length - 64)))
  }

  /// The first `count` of 64 bits.
  private static func mask(_ count: Int) -> UInt64 { count == 0 ? 0 : ~0 << (64 - UInt64(count)) }
}
