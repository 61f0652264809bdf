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

  /// The address that the device asked from.
  var address: String
  var code: DeviceUserCode
  var createdAt: Date
  var expiresAt: Date

  /// SHA-256 of the `device_code`.
  var ticketHash: [UInt8]
}

/// The stored requests of devices and their outcomes.
///
/// A request belongs to no account until somebody approves it, so it is not a grant yet. It is stored encrypted, like a suspended journey.
/// The decision removes it, which succeeds only once, and stores the outcome for the device instead.
///
/// A code has only 34 random bits. It is looked up by a keyed hash, so that somebody who reads the database does not learn it.
struct DeviceRequests: Sendable {
  let store: any ServerStore
  let tickets: TicketSealing
  let realm: String

  enum Outcome: Sendable {
    case denied
    case approved(GrantKey)
  }

  /// Stores a request. Returns `false` when another request has the code.
  func open(_ request: DeviceRequest) async throws -> Bool {
    do {
      try await keep(
        StoredJSON.bytes(of: request), as: id(request.code), from: request.createdAt, until: request.expiresAt
      )
      return true
    } catch StoreError.conflict { return false }
  }

  /// The request with that code, which keeps waiting; `nil` when there is none or it was decided.
  func request(_ code: DeviceUserCode, now: Date) async throws -> DeviceRequest? {
    let content = try await store.suspendedJourney(idHash: id(code), realm: realm, now: now)
    return content.flatMap { StoredJSON.value(from: $0.reveal()) }
  }

  /// Decides a request. Returns `true` for exactly one caller, and only while the request waits.
  func decide(_ request: DeviceRequest, _ outcome: Outcome, now: Date) async throws -> Bool {
    let content = try await store.resumeJourney(idHash: id(request.code), realm: realm, now: now)
    guard let taken: DeviceRequest = content.flatMap({ StoredJSON.value(from: $0.reveal()) }) else {
      return false
    }
    guard taken.ticketHash == request.ticketHash else {
      // Another device has got the code since this request was read. Its request waits on.
      _ = try await open(taken)
      return false
    }
    var outcomeContent = Array("{}".utf8)
    if case .approved(let key) = outcome { outcomeContent = try StoredJSON.bytes(of: GrantLocator(key)) }
    try await keep(
      outcomeContent, as: outcomeID(request.ticketHash), from: now, until: request.expiresAt)
    return true
  }

  /// Takes the outcome, which exactly one caller gets; `nil` when nobody has decided.
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

extension DeviceRequests {
  init(of provider: OpenIDProvider, in context: ResourceContext) {
    self.init(store: provider.store, tickets: provider.tickets, realm: context.realm)
  }
}
