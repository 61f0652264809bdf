import Concurrency
import JourneyStore
import Testing

@testable import OpenIDProvider

@Suite("Sealed tickets") struct TicketSealingTests {
  private func secret(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }

  /// A device's code has 34 bits: a plain hash of each could be computed by whoever reads the database.
  @Test func `what names a short text in the database depends on the server's secret`() {
    func sealing(_ byte: UInt8) -> TicketSealing {
      TicketSealing(secrets: { [] }, identifiers: secret(byte)) { [UInt8](repeating: 0, count: $0) }
    }
    let (one, other) = (sealing(1), sealing(2))
    #expect(one.identifier(of: "device code BCDF") == one.identifier(of: "device code BCDF"))
    #expect(one.identifier(of: "device code BCDF") != other.identifier(of: "device code BCDF"))
    #expect(one.identifier(of: "device code BCDF") != one.identifier(of: "device code BCDG"))
    #expect(one.identifier(of: "device code BCDF").count == 64)
  }

  @Test func `what an earlier secret sealed opens while that counts, and the one in use seals`() throws {
    let secrets = Locked([secret(1)])
    let sealing = TicketSealing(secrets: { secrets.withLock { $0 } }, identifiers: secret(9)) {
      [UInt8](repeating: 0, count: $0)
    }
    func open(_ text: String) -> [Int]? { sealing.open(text, as: .refresh, realm: "alpha") }
    let old = try sealing.seal([1, 2], as: .refresh, realm: "alpha")
    secrets.withLock { $0 = [secret(2), secret(1)] }
    let new = try sealing.seal([3], as: .refresh, realm: "alpha")
    #expect(open(old) == [1, 2] && open(new) == [3])
    // The first server key was stolen, or its time is over.
    secrets.withLock { $0 = [secret(2)] }
    #expect(open(old) == nil && open(new) == [3])
    secrets.withLock { $0 = [] }
    #expect(open(new) == nil)
    #expect(throws: StoreError.self) { try sealing.seal([4], as: .refresh, realm: "alpha") }
  }
}
