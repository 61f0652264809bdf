internal import CBOR
internal import Crypto
package import WebAuthnFormats

/// A new credential of a security key, read and checked as far as a client can: the server checks the rest.
package struct SecurityKeyCredential: Sendable, Hashable {
  package let id: [UInt8]
  package let attestationObject: AttestationObject

  /// - Parameters:
  ///   - format: `fmt`.
  ///   - statement: `attStmt`, as CBOR.
  ///   - authenticatorData: The bytes of the authenticator data.
  ///   - isVerified: Whether the flag UV has to be set.
  ///   - excluded: Ids that the new credential must not have.
  ///   - tellsModel: Whether the relying party may learn the key's model and its maker's signature (WebAuthn L3 §5.1.3 step 22).
  /// - Throws: ``SecurityKeyError/misbehaved(_:)``.
  package init(
    format: String, statement: [UInt8], authenticatorData: [UInt8], relyingPartyID: String, isVerified: Bool,
    excluded: [[UInt8]], tellsModel: Bool
  ) throws(SecurityKeyError) {
    let data = try Self.checked(authenticatorData, relyingPartyID, isVerified: isVerified)
    guard let credential = data.attestedCredential else {
      throw .misbehaved("it returned no credential")
    }
    guard credential.publicKey.algorithm == .es256 else {
      throw .misbehaved("it made a key of another algorithm than it was asked for")
    }
    guard !excluded.contains(credential.id) else {
      throw .misbehaved("it gave a new credential the id of another one")
    }
    id = credential.id
    guard tellsModel else {
      do throws(AuthenticatorDataError) {
        attestationObject = .none(
          try AuthenticatorData(
            relyingPartyID: relyingPartyID, flags: data.flags, signCount: data.signCount,
            attestedCredential: AttestedCredential(
              aaguid: .zero, id: credential.id, publicKey: credential.publicKey),
            extensions: data.extensions))
      } catch {
        throw .misbehaved(error.description)
      }
      return
    }
    guard (1...32).contains(format.utf8.count) else { throw .misbehaved("its statement has no format") }
    let value: CBORValue
    do throws(CBORError) {
      value = try CBORValue(
        decoding: statement, limits: CBORLimits(maximumBytes: AttestationObject.maximumBytes))
    } catch {
      throw .misbehaved("its statement cannot be read: \(error.description)")
    }
    guard let map = value.mapValue else { throw .misbehaved("its statement is not a map") }
    attestationObject = AttestationObject(format: format, statement: map, authenticatorData: data.encoded)
  }

  /// Parses authenticator data, and checks that they are for this relying party and say that the person was present.
  static func checked(
    _ bytes: [UInt8], _ relyingPartyID: String, isVerified: Bool
  ) throws(SecurityKeyError) -> AuthenticatorData {
    let data: AuthenticatorData
    do throws(AuthenticatorDataError) { data = try AuthenticatorData(parsing: bytes) } catch {
      throw .misbehaved(error.description)
    }
    guard data.relyingPartyIDHash.elementsEqual(SHA256.hash(data: Array(relyingPartyID.utf8))) else {
      throw .misbehaved("it answered for another relying party")
    }
    guard data.flags.contains(.userPresent) else { throw .misbehaved("it did not wait for a touch") }
    guard !isVerified || data.flags.contains(.userVerified) else {
      throw .misbehaved("it did not verify the person")
    }
    return data
  }
}

/// An assertion of a security key, read and checked as far as a client can: it does not know the credential's public key.
package struct SecurityKeyAssertion: Sendable, Hashable {
  /// The longest signature in bytes: those of P-256 in DER have at most 72, those of other keys (RSA) more.
  static let maximumSignatureBytes = 1024
  static let maximumUserHandleBytes = 64

  package let credentialID: [UInt8]
  package let authenticatorData: AuthenticatorData
  package let signature: [UInt8]
  /// The account's id; `nil` when the key does not report it.
  package let userHandle: [UInt8]?

  /// - Parameters:
  ///   - credentialID: Empty when the key leaves it out, as it may for the only allowed credential.
  ///   - authenticatorData: A byte string of CBOR.
  ///   - allowed: The ids that were asked for; empty for any.
  ///   - isVerified: Whether the flag UV has to be set.
  /// - Throws: ``SecurityKeyError/misbehaved(_:)``.
  package init(
    credentialID: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8],
    relyingPartyID: String, allowed: [[UInt8]], isVerified: Bool
  ) throws(SecurityKeyError) {
    let id = credentialID.isEmpty && allowed.count == 1 ? allowed[0] : credentialID
    guard (1...AttestedCredential.maximumIDBytes).contains(id.count), allowed.isEmpty || allowed.contains(id)
    else { throw .misbehaved("it signed with a credential that was not asked for") }
    let value: CBORValue
    do throws(CBORError) { value = try CBORValue(decoding: authenticatorData) } catch {
      throw .misbehaved("its data cannot be read: \(error.description)")
    }
    guard let bytes = value.bytesValue else { throw .misbehaved("its data are not bytes") }
    guard (1...Self.maximumSignatureBytes).contains(signature.count) else {
      throw .misbehaved("its signature has \(signature.count) bytes")
    }
    guard userHandle.count <= Self.maximumUserHandleBytes else {
      throw .misbehaved("its account has an id of \(userHandle.count) bytes")
    }
    // Without a list, the server finds the account by the user handle.
    guard !allowed.isEmpty || !userHandle.isEmpty else {
      throw .misbehaved("it does not say whose the credential is")
    }
    self.credentialID = id
    self.authenticatorData = try SecurityKeyCredential.checked(bytes, relyingPartyID, isVerified: isVerified)
    self.signature = signature
    self.userHandle = userHandle.isEmpty ? nil : userHandle
  }
}
