import NIOCore
import Testing

@testable import JourneyServer

@Suite("Addresses and blocks of them")
struct AddressTests {
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
    #expect(try IPAddress(SocketAddress(ipAddress: text, port: 1)) == address)
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

  @Test(
    arguments: [
      ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false),
      ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("192.0.2.7", "192.0.2.7", true),
      ("192.0.2.7", "192.0.2.8", false), ("192.0.2.6/31", "192.0.2.7", true),
      ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
      ("2001:db8::/65", "2001:db8::8000:0:0:0", false), ("::1", "::1", true), ("::/1", "10.0.0.1", false),
    ])
  func `a block holds what its prefix says, and IPv4 is not hidden in IPv6`(
    _ block: String, _ address: String, _ isIn: Bool
  ) throws {
    let address = try #require(IPAddress(address))
    #expect(try AddressBlock(block).contains(address) == isIn)
  }

  @Test(
    arguments: [
      "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.1/8",
      "2001:db8::1/64",
      "0.0.0.0/0", "::/0", "proxy.example.com", "10.0.0.0/8/8",
    ])
  func `a block that is a slip, or everybody, is refused`(_ text: String) {
    #expect(throws: ServerSetupError.self) { try AddressBlock(text) }
  }
}
