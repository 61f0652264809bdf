public import Bytes
internal import Crypto
public import Foundation
public import KeyAttestation
internal import SwiftASN1
internal import X509

/// Certifies the attestation keys of TPMs, after making sure that a key lives in the same TPM as a certified endorsement key: the
/// certificate is encrypted so that only that TPM can reveal it (TPM 2.0 Library, Part 1, §24).
///
/// The authority keeps no records: each request is independent, and its answer is useless to other devices. Servers trust its root
/// certificate (`docs/attestation.md`).
public struct AttestationAuthority: Sendable {
  /// The endorsement keys that the authority accepts in the TPM of an attestation key.
  public enum EndorsementTrust: Sendable {
    /// Keys with a TPM maker's certificate below one of these roots.
    case certified(roots: TrustAnchors, revoked: RevokedSerialNumbers = RevokedSerialNumbers())

    /// Any key, even outside a TPM: for tests, and if the operator has seen the device. The request's certificate is not checked, so the
    /// attestation key's certificate names neither maker nor model.
    case anyKey
  }

  /// An answer, with facts for the operator's records.
  public struct Issued: Sendable, Hashable {
    /// The answer for the device.
    public let credential: AttestationKeyCredential

    /// The certificate's serial number in lower-case hexadecimal, for revocation.
    public let serialNumber: String

    /// The Name of the attestation key, in lower-case hexadecimal.
    public let attestationKeyName: String

    public let notAfter: Date

    /// The maker's root above the endorsement key; `nil` when any key was accepted.
    public let endorsementRoot: VerifiedAttestation.Root?
  }

  /// The lifetime of an attestation key's certificate, unless the root expires earlier.
  public static let standardLifetime: TimeInterval = 5 * 365 * 86400

  /// The root certificate in PEM.
  public var rootPEM: String { get throws { try root.serializeAsPEM().pemString + "\n" } }

  private let key: P256.Signing.PrivateKey
  private let root: Certificate
  private let clock: @Sendable () -> Date
  private let randomBytes: @Sendable (Int) -> [UInt8]

  /// The seconds by which a certificate's validity starts before its creation, because clocks differ.
  private static let backdating: TimeInterval = 3600
  private static let rootLifetime: TimeInterval = 20 * 365 * 86400
  private static let serialNumberBytes = 16
  private static let longestName = 64

  /// Makes a root key and its certificate in a new folder.
  ///
  /// - Parameters:
  ///   - directory: must not exist, or be empty. Only this user will be able to read it.
  ///   - name: the root's common name, 1 to 64 characters without control characters.
  /// - Throws: ``AttestationAuthorityError``.
  public static func create(
    directory: URL, name: String = "Sealring Attestation Authority",
    clock: @escaping @Sendable () -> Date = { Date() },
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  ) throws(AttestationAuthorityError) -> AttestationAuthority {
    guard (1...longestName).contains(name.unicodeScalars.count),
      !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw AttestationAuthorityError(
        "An authority's name has 1 to \(longestName) characters and no control characters.")
    }
    let key = P256.Signing.PrivateKey()
    let root: Certificate
    do {
      root = try selfSigned(key, name: name, now: clock(), serialNumber: randomBytes(serialNumberBytes))
    } catch {
      throw AttestationAuthorityError("The root certificate cannot be made: \(error)")
    }
    try AuthorityFiles(directory: directory).write(key, root)
    return AttestationAuthority(key: key, root: root, clock: clock, randomBytes: randomBytes)
  }

  /// Opens an authority that ``create(directory:name:clock:randomBytes:)`` made.
  ///
  /// - Throws: ``AttestationAuthorityError``.
  public static func open(
    directory: URL, clock: @escaping @Sendable () -> Date = { Date() },
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  ) throws(AttestationAuthorityError) -> AttestationAuthority {
    let (key, root) = try AuthorityFiles(directory: directory).read()
    return AttestationAuthority(key: key, root: root, clock: clock, randomBytes: randomBytes)
  }

  /// Certifies a request's attestation key.
  ///
  /// - Parameter lifetime: the certificate's lifetime, in seconds.
  /// - Throws: ``AttestationEnrolmentFailure`` for a request that is refused, ``AttestationAuthorityError`` when the root has
  ///   expired.
  public func issue(
    for request: AttestationKeyRequest, trusting trust: EndorsementTrust,
    lifetime: TimeInterval = standardLifetime
  ) async throws -> Issued {
    let now = clock()
    let endorsementKey = try EndorsementKeyArea(request.endorsementKey)
    let endorsement = try await verify(endorsementKey, of: request, trust, at: now)
    let attestationKey = try AttestationKeyArea(request.attestationKey)
    let notAfter = min(now + lifetime, root.notValidAfter)
    guard now < notAfter else {
      throw AttestationAuthorityError(
        "The authority's root certificate ended at \(root.notValidAfter). Make a new authority.")
    }
    let serialNumber = Certificate.SerialNumber(bytes: randomBytes(Self.serialNumberBytes).asSerialNumber)
    let certificate = try certify(
      attestationKey, endorsement?.tpm ?? .unknown, serialNumber, now: now, notAfter: notAfter)
    let secret = SymmetricKey(data: randomBytes(AttestationKeyCredential.secretBytes))
    let protection = try CredentialProtection(
      of: secret, for: attestationKey.name, endorsementKey: endorsementKey, randomBytes: randomBytes)
    return Issued(
      credential: try AttestationKeyCredential(
        credentialBlob: protection.credentialBlob, encryptedSecret: protection.encryptedSecret,
        chain: [try certificate.der, try root.der], secret: secret, nonce: randomBytes(12)),
      serialNumber: Array(serialNumber.bytes).hexadecimal,
      attestationKeyName: attestationKey.name.hexadecimal, notAfter: notAfter,
      endorsementRoot: endorsement?.root)
  }

  /// Verifies the endorsement key's certificate; returns `nil` when any key is accepted.
  private func verify(
    _ key: EndorsementKeyArea, of request: AttestationKeyRequest, _ trust: EndorsementTrust, at now: Date
  ) async throws(AttestationEnrolmentFailure) -> EndorsementCertificate? {
    guard case .certified(let roots, let revoked) = trust else { return nil }
    guard let leaf = request.endorsementCertificate else {
      throw AttestationEnrolmentFailure(
        .endorsementCertificateMissing, "the request has no certificate of its endorsement key")
    }
    let certificate = try await EndorsementCertificate(
      verifying: [leaf] + request.endorsementIntermediates, against: roots, revoked: revoked, at: now)
    guard certificate.publicKey == key.publicKey else {
      throw AttestationEnrolmentFailure(
        .endorsementKeyMismatch, "the certificate does not belong to the request's endorsement key")
    }
    return certificate
  }

  /// Makes a certificate as WebAuthn requires for TPM attestation keys (L3 §8.3.1): with an empty subject, so the key's identifier is
  /// needed.
  private func certify(
    _ area: AttestationKeyArea, _ tpm: TPMDescription, _ serialNumber: Certificate.SerialNumber, now: Date,
    notAfter: Date
  ) throws -> Certificate {
    let identifier = try root.extensions.subjectKeyIdentifier?.keyIdentifier
    return try Certificate(
      version: .v3, serialNumber: serialNumber, publicKey: area.publicKey,
      notValidBefore: now - Self.backdating, notValidAfter: notAfter, issuer: root.subject,
      subject: DistinguishedName(), signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        Critical(try ExtendedKeyUsage([.init(oid: TPMKeyUsage.attestationKey)]))
        Critical(tpm.alternativeName)
        SubjectKeyIdentifier(hash: area.publicKey)
        AuthorityKeyIdentifier(keyIdentifier: identifier)
      }, issuerPrivateKey: Certificate.PrivateKey(key))
  }

  private static func selfSigned(
    _ key: P256.Signing.PrivateKey, name: String, now: Date, serialNumber: [UInt8]
  ) throws -> Certificate {
    let subject = try DistinguishedName { CommonName(name) }
    let publicKey = Certificate.PublicKey(key.publicKey)
    return try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(bytes: serialNumber.asSerialNumber),
      publicKey: publicKey, notValidBefore: now - backdating, notValidAfter: now + rootLifetime,
      issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        // The root may issue certificates for keys, but not for further authorities.
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        SubjectKeyIdentifier(hash: publicKey)
      }, issuerPrivateKey: Certificate.PrivateKey(key))
  }
}

/// Why an authority cannot be made, opened or used.
public struct AttestationAuthorityError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed, with what, and what to do.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension Certificate {
  var der: [UInt8] {
    get throws {
      var serializer = DER.Serializer()
      try serializer.serialize(self)
      return serializer.serializedBytes
    }
  }
}

extension [UInt8] {
  /// The bytes as a serial number in DER, positive and without leading zeros (RFC 5280 §4.1.2.2): the first bits become 01.
  fileprivate var asSerialNumber: [UInt8] { [self[0] & 0x3F | 0x40] + dropFirst() }
}
