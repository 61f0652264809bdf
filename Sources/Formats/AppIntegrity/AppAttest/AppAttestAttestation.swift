internal import Bytes
internal import CBOR
internal import Crypto
internal import Foundation
internal import KeyAttestation
internal import SwiftASN1
internal import WebAuthnFormats
internal import X509

/// App Attest's statement about a new key: which app on which device made it, and for which client data (Apple, "Validating apps that
/// connect to your server"). In form it is an attestation object of WebAuthn.
struct AppAttestAttestation {
  private let data: AuthenticatorData
  private let credential: AttestedCredential
  private let chain: UnverifiedChain
  private let leafKey: P256.Signing.PublicKey

  /// `fmt` of the attestation object.
  static let format = "apple-appattest"

  /// The extension that holds the nonce: SEQUENCE { [1] EXPLICIT OCTET STRING }.
  private static let nonceExtension: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]

  /// Reads an attestation object. The receipt beside the certificates, with which Apple's servers can be asked for a measure of fraud,
  /// is ignored.
  init(parsing bytes: [UInt8]) throws(AppIntegrityFailure) {
    func malformed(_ detail: String) -> AppIntegrityFailure {
      AppIntegrityFailure(.attestationMalformed, detail)
    }
    let object: AttestationObject
    do throws(AttestationObjectError) { object = try AttestationObject(parsing: bytes) } catch {
      throw malformed(error.reason)
    }
    guard object.format == Self.format else {
      throw malformed("the format is \(object.format.prefix(32)), not \(Self.format)")
    }
    do throws(AuthenticatorDataError) {
      data = try AuthenticatorData(parsing: object.authenticatorData)
    } catch {
      throw malformed(error.description)
    }
    guard let credential = data.attestedCredential else { throw malformed("no key is described") }
    self.credential = credential
    guard let items = object.statement["x5c"]?.arrayValue else { throw malformed("x5c is missing") }
    let der = items.compactMap(\.bytesValue)
    guard der.count == items.count else { throw malformed("an entry of x5c is not a byte string") }
    do throws(AttestationFailure) { chain = try UnverifiedChain(der: der) } catch {
      throw malformed(error.description)
    }
    guard let key = P256.Signing.PublicKey(chain.leaf.publicKey) else {
      throw malformed("the certificate's key is not on P-256")
    }
    leafKey = key
  }

  /// Checks everything but the time of the challenge and whether it was used before.
  ///
  /// - Parameters:
  ///   - clientDataHash: The hash that the app must have attested.
  ///   - keyID: The key's identifier as the app names it.
  func verified(
    clientDataHash: [UInt8], keyID: [UInt8], _ expected: AppIntegrityVerifier.Expectations,
    roots: TrustAnchors, revoked: RevokedSerialNumbers, at time: Date
  ) async throws(AppIntegrityFailure) -> AppAttestKey {
    let verified: VerifiedChain
    do throws(AttestationFailure) {
      verified = try await chain.verified(against: roots, revoked: revoked, at: time)
    } catch {
      throw AppIntegrityFailure(error)
    }
    let nonce =
      [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + Array(SHA256.hash(data: data.encoded + clientDataHash))
    guard let value = chain.leaf.extensions[oid: Self.nonceExtension]?.value, Array(value) == nonce else {
      throw AppIntegrityFailure(.nonceMismatch, "the certificate's nonce is not this answer's")
    }
    let point = Array(leafKey.x963Representation)
    let identifier = Array(SHA256.hash(data: point))
    guard keyID == identifier, credential.id == identifier,
      case .ec(.p256, let x, let y) = credential.publicKey.material, [4] + x + y == point
    else {
      throw AppIntegrityFailure(
        .keyMismatch, "key identifier, credential and certificate are not of the same key")
    }
    guard
      let applicationID = expected.applicationIDs.first(where: {
        Array(SHA256.hash(data: Array($0.utf8))) == data.relyingPartyIDHash
      })
    else { throw AppIntegrityFailure(.applicationMismatch, "the attested app is none of the expected ones") }
    guard data.signCount == 0 else {
      throw AppIntegrityFailure(.counterNotZero, "the counter is \(data.signCount)")
    }
    let environment = try AppAttestEnvironment(credential.aaguid)
    guard environment == .production || expected.allowsDevelopment else {
      throw AppIntegrityFailure(
        .developmentEnvironment, "the app was built for App Attest's development environment")
    }
    return AppAttestKey(
      publicKey: leafKey, identifier: identifier, applicationID: applicationID, environment: environment,
      relyingPartyIDHash: data.relyingPartyIDHash, root: verified.root)
  }
}

/// The environment in which App Attest made a key.
package enum AppAttestEnvironment: String, Sendable, Hashable {
  case production
  case development

  /// Reads the environment from the authenticator's model, where App Attest puts it.
  init(_ model: AAGUID) throws(AppIntegrityFailure) {
    switch model.bytes {
    case Array("appattest".utf8) + [UInt8](repeating: 0, count: 7): self = .production
    case Array("appattestdevelop".utf8): self = .development
    default: throw AppIntegrityFailure(.environmentUnknown, "the model \(model) is not App Attest's")
    }
  }
}

/// A key that App Attest has attested.
struct AppAttestKey {
  let publicKey: P256.Signing.PublicKey
  let identifier: [UInt8]
  let applicationID: String
  let environment: AppAttestEnvironment
  let relyingPartyIDHash: [UInt8]
  let root: VerifiedAttestation.Root
}
