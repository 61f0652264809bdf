package import CBOR
package import DeviceKeys
internal import WebAuthnFormats

/// Operations for a caller that acts as a security key for other programs. It has asked and, where it says so, verified the person before
/// it calls.
extension Authenticator {
  /// Makes a credential; durable when the call returns.
  ///
  /// - Parameters:
  ///   - request: `verifiesUser` says that the person was verified. Excluded credentials are not looked for.
  ///   - details: `nil` for a credential that other programs do not reach by CTAP.
  ///   - extensions: The extension outputs in the authenticator data.
  ///   - pin: Unlocks the key from now on; without a PIN the key needs no unlocking.
  /// - Throws: ``AuthenticatorError``, `CancellationError`.
  package func makeRoamingCredential(
    _ request: MakeCredentialRequest, _ details: RoamingDetails?, extensions: CBORMap? = nil, pin: PIN? = nil
  ) async throws -> MadeCredential {
    try await reporting {
      try await removeAbandoned()
      var source = newSource(for: request, at: clock(), protection: pin == nil ? .none : .applicationPIN)
      source.roaming = details
      let newKey = pin.map { UserVerifiers.NewKey(unlock: .pin($0)) { _ in } }
      return try await make(source, newKey, for: request, extensions: extensions)
    }
  }

  /// Signs with a credential that ``makeRoamingCredential(_:_:extensions:pin:)`` made for CTAP.
  ///
  /// - Throws: ``AuthenticatorError``, `CancellationError`.
  package func roamingAssertion(
    by source: PublicKeyCredentialSource, clientDataHash: [UInt8], isVerified: Bool, extensions: CBORMap?
  ) async throws -> AuthenticatorAssertion {
    try await reporting {
      guard source.roaming != nil else {
        throw AuthenticatorError.notAllowed("The key belongs to this program, and no other one may use it.")
      }
      let key = try await keyStore.openKey(tag: source.keyTag, unlock: .nothing)
      return try await assertion(
        by: source, key, clientDataHash, isVerified: isVerified, extensions: extensions)
    }
  }

  /// Signs with a credential whose key the caller has unlocked.
  ///
  /// - Throws: ``AuthenticatorError``, `CancellationError`.
  package func assertion(
    by source: PublicKeyCredentialSource, unlocked key: any DeviceKey, clientDataHash: [UInt8],
    isVerified: Bool
  ) async throws -> AuthenticatorAssertion {
    try await reporting { try await assertion(by: source, key, clientDataHash, isVerified: isVerified) }
  }
}
