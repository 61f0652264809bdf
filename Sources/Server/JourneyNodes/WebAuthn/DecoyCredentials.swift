internal import BindingFormats
public import Bytes
internal import Crypto
internal import Foundation
internal import JourneyStore

/// Credential ids for names that have none, so that a question does not reveal who exists or who has a passkey (WebAuthn L3
/// §14.6.2). They are derived from the name and a secret of the server: the same name always gets the same ones.
public struct DecoyCredentials: Sendable, Redacted {
  private let key: SymmetricKey

  /// - Parameter secret: 32 bytes or more, the same on all servers of a database.
  public init(secret: [UInt8]) { key = SymmetricKey(data: secret) }

  /// Lengths of credential ids in use: platform passkeys have 16, 20 and 32 bytes, security keys 48 and 64.
  private static let lengths = [16, 16, 16, 20, 20, 32, 32, 48, 64]

  /// One or two ids; a name's spelling makes no difference.
  func ids(username: String, realm: String, relyingPartyID: String) -> [[UInt8]] {
    let name = [NameKey.folded(realm), NameKey.folded(username), relyingPartyID]
    let seed = bytes("choice", name, count: 32)
    // Most people have one passkey.
    return (0..<(seed[0] < 64 ? 2 : 1)).map { index in
      bytes("id \(index)", name, count: Self.lengths[Int(seed[1 + index]) % Self.lengths.count])
    }
  }

  private func bytes(_ use: String, _ name: [String], count: Int) -> [UInt8] {
    let derived = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, info: ([use] + name).lengthPrefixed, outputByteCount: count)
    return derived.withUnsafeBytes { Array($0) }
  }
}
