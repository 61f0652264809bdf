internal import Bytes
public import Crypto
internal import Foundation
internal import JOSE

/// The settings for the push services of browsers and of UnifiedPush.
public struct WebPushConfiguration: Sendable {
  /// The server's VAPID key (RFC 8292). Subscriptions are bound to it: another key invalidates all of them.
  public let key: P256.Signing.PrivateKey

  /// The operator's address for push services: `mailto:…` or `https:…`.
  public let contact: String

  /// Allows endpoints in private networks, for push services that you run yourself. Everybody who may enrol a device can then
  /// make this server send encrypted requests to such addresses.
  public var allowsPrivateAddresses = false

  /// Allows `http:` endpoints on this machine, for trying things out.
  public var allowsLoopbackHTTP = false

  /// - Throws: ``PushConfigurationError`` for an invalid contact.
  public init(key: P256.Signing.PrivateKey, contact: String) throws(PushConfigurationError) {
    let start = ["mailto:", "https://"].first { contact.lowercased().hasPrefix($0) }
    guard let start, (start.utf8.count + 3...255).contains(contact.utf8.count),
      contact.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 32 && $0.value < 127 }),
      start != "mailto:" || contact.contains("@")
    else {
      throw PushConfigurationError(
        "The contact for Web Push must be an address at which push services reach you: mailto:you@example.com or https://…"
      )
    }
    self.key = key
    self.contact = contact
  }

  /// The public key that subscribers need as `applicationServerKey`: 65 bytes in Base64url.
  public var applicationServerKey: String { Base64URL.encode(key.publicKey.x963Representation) }
}
