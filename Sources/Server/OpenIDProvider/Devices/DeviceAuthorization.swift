internal import Bytes
internal import Crypto
internal import OpenIDFormats
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// `/oauth2/…/device/code`: begins the request of a device on which nobody can sign in (RFC 8628 §3.1).
struct DeviceAuthorization: Endpoint {
  let provider: OpenIDProvider

  /// How long a person has to type the code and decide. Seconds.
  static let life: TimeInterval = 600

  /// The shortest time between two polls of a device. Seconds.
  static let interval: TimeInterval = 5

  private static let longestValues = 2048

  /// The content of a `device_code`.
  private struct Ticket: Codable {
    let clientID: String
    /// Seconds since 1970.
    let expiry: TimeInterval

    enum CodingKeys: String, CodingKey { case clientID = "c", expiry = "x" }
  }

  var routes: [Route] { [provider.clientRoute("device/code", begin)] }

  private func begin(_ asked: ClientRequest) async throws -> Response {
    let (client, context) = (asked.client, asked.context)
    try asked.requireGrant(.deviceCode, "devices")
    let scopes = try AuthorizationRequest.scopes(asked["scope"], client: client)
    let values = asked["acr_values"] ?? ""
    guard values.utf8.count <= Self.longestValues else {
      throw OAuthError(.invalidRequest, "The acr_values are longer than \(Self.longestValues) bytes.")
    }
    let acrValues = values.split(separator: " ").prefix(20).map(String.init)
    guard acrValues.isEmpty || !provider.contexts(of: acrValues, for: client).isEmpty else {
      throw OAuthError(.unmetAuthenticationRequirements, "None of the acr_values has a journey here.")
    }
    // Anyone who knows a public client's id can ask, and each request takes space in the database.
    if let wait = provider.sessions.requests.admit(suspensionFrom: context.connection.limitKey) {
      throw ErrorResponse.tooManyRequests(retryAfter: wait)
    }
    let now = provider.clock()
    let expiry = now.addingTimeInterval(Self.life)
    let ticket = try provider.tickets.seal(
      Ticket(clientID: client.id, expiry: expiry.timeIntervalSince1970), as: .device, realm: context.realm)
    var request = DeviceRequest(
      clientID: client.id, scopes: scopes, acrValues: acrValues, address: context.connection.clientAddress,
      code: DeviceUserCode(randomBytes: provider.randomBytes), createdAt: now, expiresAt: expiry,
      ticketHash: OpenIDHash.stored(ticket))
    while try await !requests(context).open(request) {
      request.code = DeviceUserCode(randomBytes: provider.randomBytes)
    }
    // People type the address, so it has the short form of the realm, whatever form the request has.
    let address = provider.issuer(context, in: .short) + "/device/user"
    return .json([
      "device_code": .string(ticket), "user_code": .string(request.code.text),
      "verification_uri": .string(address),
      "verification_uri_complete": .string(
        address + "?" + PercentEncoding.form([("user_code", request.code.text)])),
      "expires_in": .integer(Int64(Self.life)), "interval": .integer(Int64(Self.interval)),
    ])
  }

  private func requests(_ context: ResourceContext) -> DeviceRequests {
    DeviceRequests(of: provider, in: context)
  }

  // MARK: The token endpoint

  private static let unknown = OAuthError(.invalidGrant, "The device_code is unknown or was used.")

  /// The tokens, once somebody has approved (§3.4).
  func poll(_ asked: ClientRequest) async throws -> JSONObject {
    let now = provider.clock()
    guard let ticket = asked["device_code"],
      let opened: Ticket = provider.tickets.open(ticket, as: .device, realm: asked.context.realm),
      opened.clientID == asked.client.id
    else { throw Self.unknown }
    let hash = OpenIDHash.stored(ticket)
    let isUsed = Array(SHA256.hash(data: Array("device used".utf8) + hash))
    guard try await provider.store.expiry(of: isUsed) == nil else { throw Self.unknown }
    let expiry = Date(timeIntervalSince1970: opened.expiry)
    guard now < expiry else {
      throw OAuthError(.expiredToken, "The time to approve is over. Begin again.")
    }
    // Each span of time allows one poll across all servers. A device that keeps the interval never polls twice in one span.
    let span = Int64(now.timeIntervalSince1970 / Self.interval)
    guard
      try await provider.store.consume(
        Array(SHA256.hash(data: Array("device poll \(span)".utf8) + hash)),
        until: now.addingTimeInterval(2 * Self.interval))
    else { throw OAuthError(.slowDown, "Wait \(Int(Self.interval)) seconds between two questions.") }
    guard let outcome = try await requests(asked.context).takeOutcome(ofDevice: hash, now: now) else {
      throw OAuthError(.authorizationPending, "Nobody has approved yet.")
    }
    guard try await provider.store.consume(isUsed, until: expiry.addingTimeInterval(60)) else {
      throw Self.unknown
    }
    guard case .approved(let key) = outcome else {
      throw OAuthError(.accessDenied, "The person has refused.")
    }
    guard let grant = try await provider.grants.grant(key), grant.clientID == asked.client.id,
      let user = try await provider.account(of: grant)
    else { throw OAuthError(.accessDenied, "The account cannot be used.") }
    // The grant has the hash of the device code that it was approved for.
    guard grant.ticketHash == hash,
      let tokens = try await provider.redeem(grant, for: asked, user: user)
    else { throw Self.unknown }
    return tokens
  }
}
