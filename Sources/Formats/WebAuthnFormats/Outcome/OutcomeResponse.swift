internal import Bytes
public import StrictJSON

/// A client's answer as the parts of an outcome, joined by `::`.
public protocol OutcomeResponse: Sendable, Hashable {
  /// Reads the plain form.
  init(parsing text: String) throws(OutcomeError)

  /// The plain form.
  var text: String { get }

  /// The results of the client's extensions (WebAuthn L3 §9.5) that are known here; in the JSON form only. They come from the client,
  /// and no authenticator signs them.
  var extensionResults: JSONObject { get set }
}

extension OutcomeResponse {
  /// No extension is known whose result is needed.
  public var extensionResults: JSONObject {
    get { [:] }
    set {}
  }
}

/// The answer to a registration, as sent. Unverified.
public struct RegistrationResponse: OutcomeResponse {
  /// The exact UTF-8 text that was hashed: ``ClientData``.
  public var clientDataJSON: [UInt8]

  /// An ``AttestationObject``.
  public var attestationObject: [UInt8]
  public var credentialID: [UInt8]

  /// What the person calls the device, if given: free text.
  public var deviceName: String?

  public init(
    clientDataJSON: [UInt8], attestationObject: [UInt8], credentialID: [UInt8], deviceName: String? = nil
  ) {
    self.clientDataJSON = clientDataJSON
    self.attestationObject = attestationObject
    self.credentialID = credentialID
    self.deviceName = deviceName
  }

  /// Reads three parts, or four with a device name. A name with `::` in it is refused, as it makes more parts.
  public init(parsing text: String) throws(OutcomeError) {
    let parts = try OutcomeParts(text, bytes: 1)
    guard (1...2).contains(parts.rest.count) else {
      throw OutcomeError(reason: "it has \(parts.rest.count + 2) parts, not 3 or 4")
    }
    clientDataJSON = parts.clientDataJSON
    attestationObject = parts.bytes[0]
    credentialID = try OutcomeParts.credentialID(parts.rest[0])
    deviceName = parts.rest.count > 1 ? parts.rest[1] : nil
  }

  /// The parts. Repeated colons in a device name become single ones, because they would make further parts. An empty name is left out.
  public var text: String {
    var parts = [
      String(decoding: clientDataJSON, as: UTF8.self), Int8List.encode(attestationObject),
      Base64URL.encode(credentialID),
    ]
    if let deviceName, !deviceName.isEmpty { parts.append(OutcomeParts.withoutSeparator(deviceName)) }
    return parts.joined(separator: OutcomeParts.separator)
  }
}

/// The answer to an authentication, as sent. Unverified.
public struct AssertionResponse: OutcomeResponse {
  /// The exact UTF-8 text that was hashed: ``ClientData``.
  public var clientDataJSON: [UInt8]

  /// ``AuthenticatorData``.
  public var authenticatorData: [UInt8]
  public var signature: [UInt8]
  public var credentialID: [UInt8]

  /// The bytes that the server gave as user id at registration, if the credential is discoverable.
  public var userHandle: [UInt8]?

  /// Whether the client says that the authenticator was asked under the AppID of the extension `appid` (WebAuthn L3 §10.1.1).
  public var usedAppID: Bool

  public init(
    clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8], credentialID: [UInt8],
    userHandle: [UInt8]? = nil, usedAppID: Bool = false
  ) {
    self.clientDataJSON = clientDataJSON
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.credentialID = credentialID
    self.userHandle = userHandle
    self.usedAppID = usedAppID
  }

  /// Reads four parts, or five with a user handle; an empty handle counts as none.
  public init(parsing text: String) throws(OutcomeError) {
    let parts = try OutcomeParts(text, bytes: 2)
    guard (1...2).contains(parts.rest.count) else {
      throw OutcomeError(reason: "it has \(parts.rest.count + 3) parts, not 4 or 5")
    }
    clientDataJSON = parts.clientDataJSON
    authenticatorData = parts.bytes[0]
    signature = parts.bytes[1]
    credentialID = try OutcomeParts.credentialID(parts.rest[0])
    userHandle = parts.rest.count > 1 && !parts.rest[1].isEmpty ? Array(parts.rest[1].utf8) : nil
    usedAppID = false
  }

  public var extensionResults: JSONObject {
    get { usedAppID ? ["appid": true] : [:] }
    set { usedAppID = newValue["appid"] == true }
  }

  /// The parts. The user handle is written as UTF-8 text, which AM's handles are.
  public var text: String {
    var parts = [
      String(decoding: clientDataJSON, as: UTF8.self), Int8List.encode(authenticatorData),
      Int8List.encode(signature), Base64URL.encode(credentialID),
    ]
    if let userHandle { parts.append(String(decoding: userHandle, as: UTF8.self)) }
    return parts.joined(separator: OutcomeParts.separator)
  }
}

/// The parts of an outcome: the client data, a number of byte lists, and the parts after them.
private struct OutcomeParts {
  static let separator = "::"

  let clientDataJSON: [UInt8]
  let bytes: [[UInt8]]
  let rest: [String]

  /// The client data may contain the separator itself: it ends where, after a brace, the lists begin.
  init(_ text: String, bytes count: Int) throws(OutcomeError) {
    // No accepted text has more parts than this, client data with some separators included.
    // Cut byte by byte: combining characters must not hide a separator.
    let text = Array(text.utf8)
    let parts = Self.parts(of: text)
    for first in parts.indices.dropFirst() where parts[first - 1].last == UInt8(ascii: "}") {
      let lists = parts[first...].prefix(count).compactMap { Int8List.decode($0) }
      guard lists.count == count else { continue }
      clientDataJSON = Array(text[..<parts[first - 1].endIndex])
      bytes = lists
      rest = parts[(first + count)...].map { String(decoding: $0, as: UTF8.self) }
      return
    }
    throw OutcomeError(
      reason: "it is neither client data followed by \(count) lists of signed bytes, nor an error")
  }

  private static func parts(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    let colon = UInt8(ascii: ":")
    var parts: [ArraySlice<UInt8>] = []
    var (start, next) = (0, 0)
    while next + 1 < text.count, parts.count < 64 {
      guard text[next] == colon, text[next + 1] == colon else {
        next += 1
        continue
      }
      parts.append(text[start..<next])
      next += 2
      start = next
    }
    return parts + [text[start...]]
  }

  static func credentialID(_ text: String) throws(OutcomeError) -> [UInt8] {
    guard let id = Base64URL.decode(text), !id.isEmpty else {
      throw OutcomeError(reason: "the credential id is not valid base64url")
    }
    return id
  }

  static func withoutSeparator(_ text: String) -> String {
    let colon = UInt8(ascii: ":")
    var single: [UInt8] = []
    for byte in text.utf8 where byte != colon || single.last != colon { single.append(byte) }
    return String(decoding: single, as: UTF8.self)
  }
}
