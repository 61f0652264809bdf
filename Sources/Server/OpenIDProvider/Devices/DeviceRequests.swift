internal import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyStore
internal import ServerHTTP

/// A device's request for tokens that waits for somebody to type its code (RFC 8628 §3.1).
struct DeviceRequest: Codable, Sendable {
  var clientID: String
  var scopes: [String]
  var acrValues: [String]

  /// Where the device asked from.
  var address: String
  var code: DeviceUserCode
  var createdAt: Date
  var expiresAt: Date

  /// SHA-256 of the `device_code`.
  var ticketHash: [UInt8]
}

/// The requests of devices, and what became of them, in the store.
///
/// Until somebody approves, a request belongs to no account, so it is no grant yet: it waits, encrypted, as journeys do that wait for a
/// link. It is decided by being taken out, which happens once; the outcome then waits for the device in its place.
///
/// A code has 34 random bits only, so what it is found by is hashed with a secret: who reads the database learns none.
struct DeviceRequests: Sendable {
  let store: any ServerStore
  let tickets: TicketSealing
  let realm: String

  init(of provider: OpenIDProvider, in context: ResourceContext) {
    (store, tickets, realm) = (provider.store, provider.tickets, context.realm)
  }

  enum Outcome: Sendable {
    case denied
    case approved(GrantKey)
  }

  /// `false` when another request has the code.
  func open(_ request: DeviceRequest) async throws -> Bool {
    do {
      try await keep(
        StoredJSON.bytes(of: request), as: id(request.code), from: request.createdAt, until: request.expiresAt)
      return true
    } catch StoreError.conflict { return false }
  }

  /// The request with that code, which goes on waiting; `nil` when there is none, or somebody has decided.
  func request(_ code: DeviceUserCode, now: Date) async throws -> DeviceRequest? {
    let content = try await store.suspendedJourney(idHash: id(code), realm: realm, now: now)
    return content.flatMap { StoredJSON.value(from: $0.reveal()) }
  }

  /// Decides: `true` for exactly one caller, and only while the request waits.
  func decide(_ request: DeviceRequest, _ outcome: Outcome, now: Date) async throws -> Bool {
    let content = try await store.resumeJourney(idHash: id(request.code), realm: realm, now: now)
    // The code may have been given out again since this request was read.
    guard let content,
      StoredJSON.value(DeviceRequest.self, from: content.reveal())?.ticketHash == request.ticketHash
    else { return false }
    var outcomeContent = Array("{}".utf8)
    if case .approved(let key) = outcome { outcomeContent = try StoredJSON.bytes(of: GrantLocator(key)) }
    try await keep(
      outcomeContent, as: outcomeID(request.ticketHash), from: now, until: request.expiresAt)
    return true
  }

  /// The outcome, for exactly one caller; `nil` when nobody has decided.
  func takeOutcome(ofDevice ticketHash: [UInt8], now: Date) async throws -> Outcome? {
    let content = try await store.resumeJourney(
      idHash: outcomeID(ticketHash), realm: realm, now: now)
    return content.map {
      StoredJSON.value(GrantLocator.self, from: $0.reveal()).map { .approved($0.key(realm: realm)) }
        ?? .denied
    }
  }

  private func keep(_ content: [UInt8], as id: String, from now: Date, until expiry: Date) async throws {
    try await store.suspendJourney(
      SuspendedJourneyRecord(
        realm: realm, idHash: id, content: StoredSecret(content), createdAt: now, expiresAt: expiry))
  }

  private func id(_ code: DeviceUserCode) -> String { tickets.identifier(of: "device code \(code.letters)") }

  private func outcomeID(_ ticketHash: [UInt8]) -> String {
    tickets.identifier(of: "device outcome \(Base64URL.encode(ticketHash))")
  }
}
