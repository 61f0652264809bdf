internal import Bytes
package import DeviceKeys
public import Foundation
internal import JOSE
public import WebAuthnFormats

/// A credential of this device (WebAuthn L3 §4, "public key credential source"), without its private key, which is in the key
/// store.
public struct PublicKeyCredentialSource: Sendable, Hashable, Identifiable {
  /// The credential id: 16 random bytes.
  public let id: [UInt8]

  /// The relying party's id: its domain.
  public let relyingPartyID: String

  /// The bytes that the server gave as user id; `nil` when the credential is not discoverable: it is used only when the server
  /// names its id.
  public let userHandle: [UInt8]?

  /// The account's name at the relying party, `""` when it was not told.
  public internal(set) var userName: String

  /// The name that the person knows the key by: the account's display name and when the key was made.
  public var otherUI: String

  /// What the key signs.
  public let algorithm: COSEAlgorithm

  /// How often the key has signed assertions.
  public internal(set) var signCount: UInt32

  /// When it was made, to the millisecond.
  public let createdAt: Date

  /// Whether the key itself signs only after the person was verified.
  public var requiresUserVerification: Bool { protection != .none }

  /// The credential id as the server and its REST interface write it: base64url without padding.
  public var credentialID: String { Base64URL.encode(id) }

  /// Whether the credential can be found without its id.
  public var isDiscoverable: Bool { userHandle != nil }

  /// `<relying party id>/<credential id in lower-case hexadecimal>`.
  public var keyLabel: String { Self.keyLabel(relyingPartyID: relyingPartyID, id: id) }

  /// The private key's name in the key store.
  package let keyTag: String

  /// What has to happen before the private key signs.
  package let protection: KeyProtection

  /// The server and realm that it was made for, or that first verified it; `nil` for one of an earlier version that was not used
  /// since.
  public internal(set) var scope: CredentialScope?

  /// Further details when programs reach it by CTAP; `nil` for a credential of this program.
  package internal(set) var roaming: RoamingDetails? = nil

  /// The prefix of the names of all private keys.
  static let keyTagPrefix = "webauthn."

  static func keyLabel(relyingPartyID: String, id: [UInt8]) -> String {
    "\(relyingPartyID)/\(id.hexadecimal)"
  }
}
