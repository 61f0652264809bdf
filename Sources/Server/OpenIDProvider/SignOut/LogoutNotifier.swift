internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JourneyStore
internal import Logging
internal import PushTransports
internal import ServerHTTP
internal import StrictJSON

/// Tells clients that sessions have ended (OpenID Connect Back-Channel Logout 1.0).
///
/// A notice is stored by the write that ends the session, so that a server that stops loses none. Each is tried five times within half an
/// hour, and only at the address that is registered for the client when it is sent.
package struct LogoutNotifier: Sendable {
  let file: ClientFile
  let grants: StoredGrants
  let keys: TokenKeys
  let clock: @Sendable () -> Date
  let randomBytes: @Sendable (Int) -> [UInt8]
  let logger: Logger

  /// Sends a form to an address and returns the response's status.
  let post: @Sendable (_ address: String, _ body: [UInt8]) async throws -> Int

  private static let batch = 20
  private static let maximumAttempts = 5

  /// Sends the notices that are due.
  package func run() async throws {
    let now = clock()
    let notices = try await grants.takeLogoutNotices(limit: Self.batch, now: now)
    await withTaskGroup(of: Void.self) { group in
      for notice in notices { group.addTask { await send(notice) } }
    }
  }

  private func send(_ notice: LogoutNotice) async {
    var metadata: Logger.Metadata = ["client": "\(notice.clientID)", "attempt": "\(notice.attempts)"]
    do {
      guard
        let client = file.clients.client(notice.clientID, realm: notice.key.account.realm),
        let address = client.backchannelLogoutURI
      else { return try await grants.removeLogoutNotice(notice.key) }
      let form = PercentEncoding.form([("logout_token", try await token(notice, for: client))])
      let status = try await post(address, Array(form.utf8))
      // 400 means that the client has understood the request and refuses it (§2.8).
      if (200..<300).contains(status) || status == 400 {
        return try await grants.removeLogoutNotice(notice.key)
      }
      metadata["cause"] = "it answered \(status)"
    } catch { metadata["cause"] = "\(OutgoingClient.reason(error))" }
    logger.notice("a client was not told of a sign-out", metadata: metadata)
    guard notice.attempts >= Self.maximumAttempts else { return }
    logger.warning("a client will not be told of a sign-out any more", metadata: metadata)
    try? await grants.removeLogoutNotice(notice.key)
  }

  /// Makes the logout token (§2.4), signed like the client's ID tokens (§2.6).
  private func token(_ notice: LogoutNotice, for client: OpenIDClient) async throws -> String {
    let now = Int64(clock().timeIntervalSince1970)
    var claims: JSONObject = [
      "aud": .string(notice.clientID), "iat": .integer(now), "exp": .integer(now + 120),
      "jti": .string(RandomName.make(randomBytes(16))),
      "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
    ]
    let details = notice.details
    for (name, value) in [("iss", details.issuer), ("sub", details.subject), ("sid", details.sessionID)] {
      claims[name] = value.map(JSONValue.string)
    }
    return try await keys.current(client.idTokenAlgorithm).sign(claims, type: "logout+jwt")
  }
}
