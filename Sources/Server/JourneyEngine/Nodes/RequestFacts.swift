internal import Bytes
public import Foundation
internal import StrictJSON
internal import WebAddresses

/// The facts about the HTTP request that nodes may use, without HTTP types.
public struct RequestFacts: Sendable, Hashable {
  /// The realm's name, `root` or for example `alpha`.
  public var realm: String

  /// Preferred languages, best first, from `Accept-Language` or the `locale` parameter; BCP 47 tags.
  public var locales: [String]

  /// Request headers, names in lower case. RFC 2047 words are not yet decoded.
  public var headers: [String: String]

  /// The parameters of the request's query; names are case-sensitive.
  public var parameters: [String: [String]] = [:]

  /// The peer's address for logs and rate limits, without port.
  public var clientAddress: String

  /// Whether a node may leave a proof to the write that makes the session (``JourneySuccess/deferred``).
  public var allowsDeferral = false

  /// The address under which clients reach this server, with `/am` and without a slash at the end; empty when it is
  /// unknown.
  public var baseURL: String

  /// Whether the operator has set ``baseURL``, so that it does not come from the client alone.
  public var isBaseURLCertain: Bool

  /// ``baseURL`` for links in mails; `nil` where only the client says what it is, because such a link could lead people, and what they
  /// type, to an attacker who sent the request. A loopback address is allowed, for development.
  public var mailBaseURL: String? {
    isBaseURLCertain || WebOrigin(address: baseURL)?.isLoopback == true ? baseURL : nil
  }

  public init(
    realm: String, locales: [String] = [], headers: [String: String] = [:], clientAddress: String = "",
    baseURL: String = "", isBaseURLCertain: Bool = false
  ) {
    self.realm = realm
    self.locales = locales
    self.headers = headers
    self.clientAddress = clientAddress
    self.baseURL = baseURL
    self.isBaseURLCertain = isBaseURLCertain
  }
}

/// The session that the client presented when it started a journey: valid at that time, and of the journey's realm. It travels sealed with
/// the journey, so that no later request can replace it.
public struct PresentedSession: Sendable, Hashable {
  /// The hash under which the session is stored, to find out whether it is still alive.
  public var tokenHash: [UInt8]
  public var username: String

  /// The level that it was made with.
  public var authLevel: Int

  /// The journey that made it; `nil` for sessions from before that was recorded.
  public var service: String?

  /// When its user last proved who they are.
  public var authenticatedAt: Date

  public init(
    tokenHash: [UInt8], username: String, authLevel: Int, service: String?, authenticatedAt: Date
  ) {
    self.tokenHash = tokenHash
    self.username = username
    self.authLevel = authLevel
    self.service = service
    self.authenticatedAt = authenticatedAt
  }
}

extension PresentedSession {
  var json: JSONObject {
    var json: JSONObject = [
      "h": .array(tokenHash.map { .integer(Int64($0)) }), "u": .string(username),
      "l": .integer(Int64(authLevel)),
      "a": .integer(authenticatedAt.millisecondsSince1970),
    ]
    if let service { json["s"] = .string(service) }
    return json
  }

  init?(json: JSONValue) {
    guard let hash = json["h"]?.arrayValue, let username = json["u"]?.stringValue,
      let level = json["l"]?.integerValue.flatMap({ Int(exactly: $0) }),
      let moment = json["a"]?.integerValue
    else { return nil }
    let bytes = hash.compactMap { $0.integerValue.flatMap { UInt8(exactly: $0) } }
    guard bytes.count == hash.count else { return nil }
    self.init(
      tokenHash: bytes, username: username, authLevel: level, service: json["s"]?.stringValue,
      authenticatedAt: Date(millisecondsSince1970: moment))
  }
}
