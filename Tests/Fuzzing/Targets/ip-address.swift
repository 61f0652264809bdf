import WebAddresses

extension FuzzTarget {
  /// An address and a block of addresses mean what they are written as.
  static let ipAddress = FuzzTarget(text: { text in
    if let address = IPAddress(text) {
      expect(IPAddress(address.description) == address, "an address is written as another one")
      expect(!address.limitKey.isEmpty, "an address has no key for limits")
      let own = try? AddressBlock(address.description)
      expect(own?.contains(address) == true, "an address is not in its own block")
    }
    guard let block = try? AddressBlock(text), let base = IPAddress(text.prefix { $0 != "/" }) else { return }
    expect(block.contains(base) && block.description == text, "a block does not hold its own base")
    let isAll = ["0.0.0.0", "255.255.255.255", "10.0.0.1", "::1", "2001:db8::1", "fe80::1"]
      .compactMap { IPAddress($0) }.allSatisfy { $0.isIPv4 != base.isIPv4 || block.contains($0) }
    expect(!isAll, "a block holds all addresses")
  })
}
