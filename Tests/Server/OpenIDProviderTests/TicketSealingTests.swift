import Testing

@testable import OpenIDProvider

@Suite("Sealed tickets") struct TicketSealingTests {
  /// A device's code has 34 bits: a plain hash of each could be computed by whoever reads the database.
  @Test func `what names a short text in the database depends on the server's secret`() {
    let one = TicketSealing(secret: [UInt8](repeating: 1, count: 32)) { [UInt8](repeating: 0, count: $0) }
    let other = TicketSealing(secret: [UInt8](repeating: 2, count: 32)) { [UInt8](repeating: 0, count: $0) }
    #expect(one.identifier(of: "device code BCDF") == one.identifier(of: "device code BCDF"))
    #expect(one.identifier(of: "device code BCDF") != other.identifier(of: "device code BCDF"))
    #expect(one.identifier(of: "device code BCDF") != one.identifier(of: "device code BCDG"))
    #expect(one.identifier(of: "device code BCDF").count == 64)
  }
}
