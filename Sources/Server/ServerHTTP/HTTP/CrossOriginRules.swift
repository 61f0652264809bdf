internal import Bytes
package import Operations
internal import WebAddresses

/// Which pages of other origins may use this server from a browser (CORS, Fetch §3.2): none, unless configured.
public struct CrossOriginRules: Sendable, Hashable {
  /// The origins for all realms, such as `https://app.example.com`, and those of single realms by name. `*` is any origin.
  public var origins: [String: [String]] = [:]

  /// Whether those pages may use the person's cookies. Not with the origin `*`.
  public var allowsCredentials = false

  /// The methods that they may use.
  public var methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

  /// The headers that they may send, beside the standard ones.
  public var headers: [String] = []

  /// The headers of answers that they may read, beside the standard ones.
  public var exposedHeaders: [String] = []

  /// How long browsers may remember the permission. Seconds.
  public var maximumAge = 600

  /// The key of ``origins`` for all realms.
  public static let everyRealm = ""

  /// The headers that this server's clients send.
  static let standardHeaders = [
    "Accept-API-Version", "Authorization", "Content-Type", "DPoP", "If-Match", "If-None-Match",
    "X-Requested-With",
    "X-OpenAM-Username", "X-OpenAM-Password",
  ]

  /// The headers of this server's answers that pages cannot read without permission.
  static let standardExposedHeaders = ["Content-API-Version", "DPoP-Nonce", "ETag", "WWW-Authenticate"]

  public init() {}

  /// - Throws: ``ServerSetupError`` when a value is not valid, or the rules would give every page the person's session.
  package func checked() throws(ServerSetupError) -> CheckedCrossOriginRules {
    var allowed: [String: CheckedCrossOriginRules.Origins] = [:]
    for (realm, texts) in origins {
      var realmOrigins = CheckedCrossOriginRules.Origins()
      for text in texts {
        if text == "*" {
          guard !allowsCredentials else {
            throw ServerSetupError(
              "The CORS origin * with credentials would let every page on the web act as the person: name the origins."
            )
          }
          realmOrigins.isAny = true
        } else {
          // The text must be exactly what browsers send: a text that is almost an origin would never match, or match too much.
          guard let origin = WebOrigin(text), origin.description == text.lowercased() else {
            throw ServerSetupError(
              "The CORS origin \(text.debugDescription) is not an origin such as https://app.example.com.")
          }
          guard origin.isConfidential || !allowsCredentials else {
            throw ServerSetupError(
              "The CORS origin \(text) is not https: others on the network could change its pages, and with credentials act "
                + "as the person.")
          }
          realmOrigins.exact.insert(origin.description)
        }
      }
      allowed[realm] = realmOrigins
    }
    for name in methods + headers + exposedHeaders where !Self.isToken(name) {
      throw ServerSetupError("\(name.debugDescription) is not the name of a method or header for CORS.")
    }
    guard (0...86400).contains(maximumAge) else {
      throw ServerSetupError("The CORS age is a number of seconds from 0 to 86400.")
    }
    return CheckedCrossOriginRules(rules: self, origins: allowed)
  }

  /// Whether the text is a token (RFC 9110 §5.6.2) without `*`, which would be a wildcard.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'+-.^_`|~".utf8.contains($0) }
  }
}

/// Rules that have been checked.
package struct CheckedCrossOriginRules: Sendable {
  struct Origins: Sendable {
    var exact: Set<String> = []
    var isAny = false
  }

  let rules: CrossOriginRules
  let origins: [String: Origins]

  /// Whether the answer may depend on the origin at all.
  var isUsed: Bool { !origins.isEmpty }

  /// The value of `Access-Control-Allow-Origin` for `origin`, the header as it was sent; `nil` when the origin is not allowed.
  ///
  /// `null` is never allowed by name, because it is the origin of anybody's sandboxed frames and local files.
  func allowed(_ origin: String, realm: String) -> String? {
    let lists = [origins[realm], origins[CrossOriginRules.everyRealm]].compactMap { $0 }
    if lists.contains(where: { $0.exact.contains(origin) }) { return origin }
    return lists.contains(where: \.isAny) ? "*" : nil
  }
}
