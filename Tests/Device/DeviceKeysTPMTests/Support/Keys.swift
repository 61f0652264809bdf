import DeviceKeys
import Foundation
import ProofFixtures
import StrictJSON
import Testing

@testable import DeviceKeysTPM

/// Every protection with something that unlocks it.
let allUnlocks: [(KeyProtection, KeyUnlock)] = [
  (.none, .nothing), (.applicationPIN, .pin(PIN("4711"))),
  (.biometricOnly, .authorization(AuthorizationValue())),
  (.biometricOrCredential, .authorization(AuthorizationValue())),
]

/// Expects that `key` signs what the public key of `other` verifies.
func expectSigns(_ key: any DeviceKey, for other: any DeviceKey) async throws {
  let token = try await Tokens.es256(["say": "hi"], signer: key)
  #expect(try VerifiedToken(token, key: other.publicKey).claims == ["say": "hi"])
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
