internal import Bytes
internal import Crypto
internal import Foundation
internal import StrictJSON
internal import WebAddresses

/// A push service's endpoint and the receiver's keys: the JSON of a browser's `PushSubscription`.
struct WebPushSubscription: Sendable, Redacted {
  /// Longest endpoint in bytes, as UnifiedPush specifies.
  static let maximumEndpointBytes = 1000

  let endpoint: URL
  private let webOrigin: WebOrigin

  /// The receiver's public key, `p256dh`.
  let key: P256.KeyAgreement.PublicKey

  /// The shared secret of sender and receiver, `auth`: 16 bytes.
  let secret: [UInt8]

  /// - Parameter token: `{"endpoint": "https://…", "keys": {"p256dh": "…", "auth": "…"}}`; other members are ignored.
  ///   Both alphabets of Base64 are accepted, padded or not.
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
      throw PushSendError("the subscription's auth is not 16 bytes long")
    }
    guard (1...Self.maximumEndpointBytes).contains(endpoint.utf8.count),
      endpoint.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 32 && $0.value < 127 }),
      let webOrigin = WebOrigin(address: endpoint), webOrigin.port > 0,
      var url = URLComponents(string: endpoint), url.fragment == nil
    else {
      throw PushSendError(
        "the subscription's endpoint is not an https URL of at most \(Self.maximumEndpointBytes) bytes")
    }
    // The URL is normalized, so that its host equals the one that was checked.
    url.scheme = webOrigin.isHTTPS ? "https" : "http"
    url.percentEncodedHost = webOrigin.host
    guard let normalized = url.url else { throw PushSendError("the subscription's endpoint is not a URL") }
    self.endpoint = normalized
    self.webOrigin = webOrigin
    self.key = key
    self.secret = secret
  }

  /// The endpoint's origin (RFC 6454 §6.2), the audience of VAPID tokens.
  var origin: String { webOrigin.description }

  var isHTTPS: Bool { webOrigin.isHTTPS }

  /// The host without brackets, in lower case.
  var host: String { webOrigin.host.trimmingCharacters(in: ["[", "]"]) }

  var port: Int { Int(webOrigin.port) }

  private static func bytes(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.stringValue, text.utf8.count <= 256 else { return nil }
    return LenientBase64.decode(text)
  }
}
