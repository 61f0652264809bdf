import NIOCore
import Testing
import WebAddresses

@testable import Operations
@testable import ServerHTTP

@Suite("Addresses of sockets, and blocks of addresses")
struct AddressTests {
  @Test(arguments: ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8:1:2:3:4:5:6", "::1"])
  func `a socket's address is the one that is written so`(text: String) throws {
    #expect(try IPAddress(SocketAddress(ipAddress: text, port: 1)) == IPAddress(text))
    #expect(try IPAddress(SocketAddress(unixDomainSocketPath: "/tmp/x")) == nil)
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
