internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyStore
internal import StrictJSON
internal import WebAuthnVerification

/// The challenge of one question to an authenticator, when it was issued, and for which relying party. Kept in the node's
/// notes.
struct WebAuthnChallenge: Sendable, Hashable {
  let bytes: [UInt8]
  let issuedAt: Date
  let relyingPartyID: String

  /// The AppID that clients were asked for besides, if any.
  let appID: String?

  /// Bytes of a challenge.
  static let count = 32

  init(relyingPartyID: String, appID: String? = nil, services: NodeServices) {
    bytes = services.randomBytes(Self.count)
    issuedAt = services.clock()
    self.relyingPartyID = relyingPartyID
    self.appID = appID
  }

  init?(notes: JSONObject) {
    guard let text = notes["challenge"]?.stringValue, let bytes = PaddedBase64.decode(text),
      let milliseconds = notes["issuedAt"]?.integerValue,
      let relyingPartyID = notes["relyingPartyId"]?.stringValue
    else { return nil }
    self.bytes = bytes
    issuedAt = Date(millisecondsSince1970: milliseconds)
    self.relyingPartyID = relyingPartyID
    appID = notes["appId"]?.stringValue
  }

  var notes: JSONObject {
    var notes: JSONObject = [
      "challenge": .string(text), "issuedAt": .integer(issuedAt.millisecondsSince1970),
      "relyingPartyId": .string(relyingPartyID),
    ]
    notes["appId"] = appID.map(JSONValue.string)
    return notes
  }

  /// Whether the question allows a credential that was registered for `party`.
  func asks(for party: String) -> Bool { party == relyingPartyID || party == appID }

  /// Standard Base64, as it is sent.
  var text: String { PaddedBase64.encode(bytes) }

  /// Uses the challenge up: it is valid for one answer, right or wrong, within its time.
  ///
  /// - Throws: ``WebAuthnFailure``, or what the store throws.
  func consume(timeout: Int, services: NodeServices) async throws {
    let end = issuedAt + TimeInterval(timeout) + WebAuthnParty.grace
    guard services.clock() <= end else {
      throw WebAuthnFailure(.challengeExpired, "the answer came after the timeout of \(timeout) s")
    }
    let key = SHA256.hash(data: Array("webauthn challenge ".utf8) + bytes)
    guard try await services.store.consume(Array(key), until: end) else {
      throw WebAuthnFailure(.challengeReused, "the challenge has been answered before")
    }
  }
}
