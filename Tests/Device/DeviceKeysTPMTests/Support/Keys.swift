import DeviceKeys
import Foundation
import JOSE
import Testing

@testable import DeviceKeysTPM

/// Every protection with something that unlocks it.
let allUnlocks: [(KeyProtection, KeyUnlock)] = [
  (.none, .nothing), (.applicationPIN, .pin(PIN("4711"))),
  (.biometricOnly, .authorization(AuthorizationValue())),
  (.biometricOrCredential, .authorization(AuthorizationValue())),
]

/// Expects that `key` signs what `publicKey` verifies.
func expectSigns(_ key: any DeviceKey, for publicKey: JWK) async throws {
  let token = try await JWS.compact(
    header: JWSHeader(algorithm: .es256), payload: Array("hi".utf8), signer: key)
  let verified = try UnverifiedJWS(compact: token).verified(
    with: VerificationKey(publicKey), allowing: [.es256])
  #expect(verified.payload == Array("hi".utf8))
}

extension TPMKeyStore {
  /// Makes a key that the PIN `pin` unlocks.
  @discardableResult
  func createPINKey(_ tag: String = "k", pin: String = "4711") async throws -> any DeviceKey {
    try await createKey(tag: tag, protection: .applicationPIN, unlock: .pin(PIN(pin)))
  }

  func open(_ tag: String = "k", pin: String) async throws -> any DeviceKey {
    try await openKey(tag: tag, unlock: .pin(PIN(pin)))
  }

  nonisolated var folder: URL { files.url }

  nonisolated func file(of tag: String) -> URL { files.file(of: tag) }
}
