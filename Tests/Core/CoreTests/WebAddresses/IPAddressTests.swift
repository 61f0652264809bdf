import Testing
import WebAddresses

@Suite struct IPAddressTests {
  @Test(
    arguments: [
      ("192.0.2.1", "192.0.2.1", "192.0.2.1"),
      ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"),
      ("::FFFF:c000:201", "192.0.2.1", "192.0.2.1"),
      ("2001:DB8:0:0:0:0:0:1", "2001:db8::1", "2001:db8::/64"),
      ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
      ("::1", "::1", "::/64"),
    ])
  func `one client has one text and one key for limits`(_ text: String, _ description: String, _ key: String)
    throws
  {
    let address = try #require(IPAddress(text))
    #expect(address.description == description)
    #expect(address.limitKey == key)
  }

  @Test(
    arguments: [
      "", "1", "192.0.2", "192.0.2.256", "0300.0.2.1", "192.0.2.1 ", "[::1]", "::1%lo", "localhost", ":::",
      "1:2",
      "192.0.2.1:80", String(repeating: "1", count: 50),
    ])
  func `what is not an address is none`(_ text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func `addresses are in the order of their bytes, those of IPv4 together`() throws {
    let texts = [
      "::1", "0.0.0.0", "10.0.0.2", "10.0.0.10", "255.255.255.255", "::1:0:0:0", "2001:db8::", "ffff::",
    ]
    let addresses = try texts.map { try #require(IPAddress($0)) }
    #expect(addresses == addresses.sorted() && Set(addresses).count == texts.count)
    #expect(addresses.map(\.isIPv4) == [false, true, true, true, true, false, false, false])
  }
}
