internal import WebAddresses

/// What nodes may know of the HTTP request, without HTTP.
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

  /// Whether the operator has said what ``baseURL`` is, and not only the client.
  public var isBaseURLCertain: Bool

  /// ``baseURL`` for links that leave by mail: `nil` where nothing but the client says what it is, because such a link
  /// could lead people, and what they type, to an attacker who sent the request. An address of the client's own machine is allowed, for
  /// development.
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
