// An authenticator as an app has written it for the earlier SDK, with Apple's types. Belongs to no target:
// scripts/typecheck-apple compiles it, in the language modes 5 and 6.
import Foundation
import FRDeviceBinding
import PingCommons
import Security

/// An authenticator of the earlier SDK's kind.
final class LegacyEnclaveAuthenticator: DefaultDeviceAuthenticator, CryptoAware {
  private var key: CryptoKey?

  func setKey(cryptoKey: CryptoKey) { key = cryptoKey }

  override func accessControl() -> SecAccessControl? { nil }

  override func generateKeys() throws -> KeyPair {
    guard let key else { throw DeviceBindingStatus.unsupported(errorMessage: nil) }
    return try key.createKeyPair(accessControl: accessControl())
  }

  override func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String {
    try CompactJwt.sign(
      claims: ["sub": userId, "challenge": challenge], privateKey: keyPair.privateKey,
      publicKey: keyPair.publicKey, algorithm: .ecdsaSignatureMessageX962SHA256, kid: kid)
  }
}
