import Foundation
import JourneyStore
import Testing

@testable import OpenIDProvider

@Suite("Requests of devices in the store") struct DeviceRequestsTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private let requests: DeviceRequests
  private let code = DeviceUserCode(randomBytes: { Array(repeating: 1, count: $0) })

  init() throws {
    requests = DeviceRequests(
      store: try SQLiteStore.inMemory(),
      tickets: TicketSealing(secrets: { [] }, identifiers: Array(repeating: 7, count: 32)) {
        Array(repeating: 2, count: $0)
      },
      realm: "root")
  }

  private func request(_ ticket: UInt8) -> DeviceRequest {
    DeviceRequest(
      clientID: "printer", scopes: ["openid"], acrValues: [], address: "192.0.2.1", code: code,
      createdAt: Self.now, expiresAt: Self.now + 600, ticketHash: Array(repeating: ticket, count: 32))
  }

  @Test func `a request is found by its code as it was stored, and decided once`() async throws {
    let printer = request(1)
    #expect(try await requests.open(printer))
    let found = try #require(try await requests.request(code, now: Self.now))
    #expect(found.ticketHash == printer.ticketHash && found.expiresAt == printer.expiresAt)
    #expect(found.scopes == printer.scopes && found.address == printer.address)
    #expect(try await requests.open(request(2)) == false, "two devices have one code")
    #expect(try await requests.decide(found, .denied, now: Self.now))
    #expect(try await requests.decide(found, .denied, now: Self.now) == false)
    #expect(try await requests.request(code, now: Self.now) == nil)
    guard case .denied? = try await requests.takeOutcome(ofDevice: printer.ticketHash, now: Self.now) else {
      Issue.record("the device does not learn that it was denied")
      return
    }
  }

  @Test func `a decision that comes after the code was given to another device leaves that one waiting`()
    async throws
  {
    let (first, second) = (request(1), request(2))
    #expect(try await requests.open(first))
    #expect(try await requests.decide(first, .denied, now: Self.now))
    #expect(try await requests.open(second))
    #expect(try await requests.decide(first, .denied, now: Self.now) == false)
    #expect(try await requests.request(code, now: Self.now)?.ticketHash == second.ticketHash)
    #expect(try await requests.takeOutcome(ofDevice: second.ticketHash, now: Self.now) == nil)
  }
}
