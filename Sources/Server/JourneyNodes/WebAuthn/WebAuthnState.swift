internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON
internal import WebAuthnFormats
internal import WebAuthnVerification

/// State variables of the WebAuthn nodes, under PingAM's names.
enum WebAuthnState {
  /// The open challenge, in Base64; in shared state while the question is open. Only for scripts to read.
  static let challenge = "web-authn-challenge"

  /// What the client reported instead of an answer: `<Name>:<text>`.
  static let clientError = "WebAuthenticationDOMException"

  /// Extensions to ask for, an object.
  static let extensions = "webAuthnExtensions"
  static let attestationInfo = "webauthnAttestationInfo"
  static let assertionInfo = "webauthnAssertionInfo"
  static let data = "webauthnData"
  static let attestationType = "webauthnAttestationType"
  static let aaguid = "webauthnDeviceAaguid"
  static let deviceData = "webauthnDeviceData"
  static let deviceUUID = "webauthnDeviceUuid"
  static let deviceName = "webauthnDeviceName"

  /// The flags of an accepted answer as PingAM shows them.
  static func info(
    _ flags: AuthenticatorData.Flags, attachment: AuthenticatorAttachment?
  ) -> JSONValue {
    func flag(_ flag: AuthenticatorData.Flags) -> JSONValue { .bool(flags.contains(flag)) }
    var info: JSONObject = [
      "flags": [
        "UP": flag(.userPresent), "UV": flag(.userVerified), "AT": flag(.attestedCredential),
        "ED": flag(.extensions), "BE": flag(.backupEligible), "BS": flag(.backedUp),
      ]
    ]
    info["authenticatorAttachment"] = attachment.map { .string($0.rawValue) }
    return .object(info)
  }
}

/// The answer to a question.
enum WebAuthnReply<Response: OutcomeResponse> {
  /// No answer yet: the same question is sent again.
  case nothing
  case recoveryCode
  case completed(Response, attachment: AuthenticatorAttachment?)
  case unsupported
  case failed(ClientError)
  case unreadable(OutcomeError)

  /// - Parameter hidden: the place of the hidden value among the callbacks; a button may follow.
  init(_ reply: CallbackReply, hidden: Int, hasButton: Bool) {
    if hasButton, reply.isPressed(at: hidden + 1) {
      self = .recoveryCode
      return
    }
    guard let value = reply.text(at: hidden), !value.isEmpty else {
      self = .nothing
      return
    }
    do throws(OutcomeError) {
      switch try ClientOutcome<Response>(parsing: value) {
      case .completed(let response, let attachment):
        self = .completed(response, attachment: attachment)
      case .unsupported: self = .unsupported
      case .failed(let error): self = .failed(error)
      }
    } catch {
      self = .unreadable(error)
    }
  }
}

/// The user id that authenticators keep with a credential.
enum WebAuthnUserHandle {
  /// Most bytes that authenticators take (WebAuthn L3 §5.4.3).
  private static let maximumBytes = 64

  /// The handle as the callbacks carry it: Base64URL of the user's name, or of its SHA-256 when that text would be too long. The UTF-8
  /// bytes of this text are the handle.
  static func text(of user: UserRecord) -> String {
    let text = Base64URL.encode(Array(user.username.utf8))
    guard text.utf8.count > maximumBytes else { return text }
    return Base64URL.encode(Array(SHA256.hash(data: Array(user.username.utf8))))
  }

  /// The name that a handle stands for; `nil` for one that is not valid base64url of text.
  static func username(_ handle: [UInt8]) -> String? {
    guard handle.count <= maximumBytes, let text = String(validating: handle, as: UTF8.self),
      let name = Base64URL.decode(text)
    else { return nil }
    return String(validating: name, as: UTF8.self)
  }
}

/// The challenge of one question to an authenticator, when it was issued, and for which relying party. Kept in the node's
/// notes.
struct WebAuthnChallenge: Sendable, Hashable {
  let bytes: [UInt8]
  let issuedAt: Date
  let relyingPartyID: String

  /// The AppID that clients were also asked for, if any.
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
