import Bytes
import Testing

@testable import ServerHTTP

@Suite("Random names") struct RandomNameTests {
  @Test(arguments: UInt8.min...UInt8.max)
  func `no name of random bytes looks like an option of a command line`(first: UInt8) {
    let bytes = [first, 0xFF, 0xFF]
    let name = RandomName.make(bytes)
    #expect(name.utf8.count == 4 && !name.hasPrefix("-"))
    // Only the first character may differ: the rest is as random as the bytes.
    #expect(name.dropFirst() == Base64URL.encode(bytes).dropFirst())
  }
}
