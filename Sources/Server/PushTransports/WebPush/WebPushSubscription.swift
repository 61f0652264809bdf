internal import Bytes
internal import Crypto
internal import Foundation
internal import StrictJSON

/// Where and for whom a push service takes messages: what browsers call `PushSubscription`, as its JSON.
struct WebPushSubscription: Sendable, Redacted {
  /// Longest endpoint in bytes, as UnifiedPush has it.
  static let maximumEndpointBytes = 1000

  let endpoint: URL
  let scheme: String

  /// Without brackets, in lower case.
  let host: String
  let port: Int

  /// The receiver's key, `p256dh`.
  let key: P256.KeyAgreement.PublicKey

  /// 16 bytes that sender and receiver share, `auth`.
  let secret: [UInt8]

  /// - Parameter token: `{"endpoint": "https://…", "keys": {"p256dh": "…", "auth": "…"}}`; other members say nothing here.
  ///   Both alphabets of Base64 are taken, padded or not.
  /// - Throws: ``PushSendError`` for everything else.
  init(token: String) throws(PushSendError) {
    guard
      let json = try? JSONValue(
        parsing: token, limits: JSONLimits(maximumBytes: 4096, maximumDepth: 4)),
      let endpoint = json["endpoint"]?.stringValue, let keys = json["keys"]
    else { throw PushSendError("a subscription is a JSON object with endpoint and keys") }
    guard let point = Self.bytes(keys["p256dh"]), point.count == 65,
      let key = try? P256.KeyAgreement.PublicKey(x963Representation: point)
    else { throw PushSendError("the subscription's p256dh is not an uncompressed point of P-256") }
    guard let secret = Self.bytes(keys["auth"]), secret.count == 16 else {
      throw PushSendError("the subscription's auth has not 16 bytes")
    }
    guard (1...Self.maximumEndpointBytes).contains(endpoint.utf8.count),
      endpoint.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 32 && $0.value < 127 }),
      var url = URLComponents(string: endpoint), let scheme = url.scheme?.lowercased(),
      let host = url.percentEncodedHost?.lowercased(), Self.isPlain(host), url.user == nil,
      url.password == nil,
      url.fragment == nil, scheme == "https" || scheme == "http", (1...65535).contains(url.port ?? 443)
    else {
      throw PushSendError(
        "the subscription's endpoint is not a URL of https with at most \(Self.maximumEndpointBytes) bytes")
    }
    // The host is written in one way, so that whoever compares it with a checked one finds it.
    url.scheme = scheme
    url.percentEncodedHost = host
    guard let normalized = url.url else { throw PushSendError("the subscription's endpoint is not a URL") }
    self.endpoint = normalized
    self.scheme = scheme
    self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    port = url.port ?? (scheme == "https" ? 443 : 80)
    self.key = key
    self.secret = secret
  }

  /// The endpoint's origin (RFC 6454 §6.2), for which VAPID tokens are.
  var origin: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }

  /// Whether a host is a name in ASCII, or a number in one of IP's forms.
  private static func isPlain(_ host: String) -> Bool {
    let name = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
    let isBracketed = name.utf8.count != host.utf8.count
    return (1...253).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
          true
        case UInt8(ascii: ":"): isBracketed
        case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
        default: false
        }
      }
  }

  private static func bytes(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.stringValue, text.utf8.count <= 256 else { return nil }
    return LenientBase64.decode(text)
  }
}
