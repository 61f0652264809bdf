internal import Bytes
package import Foundation
package import KeyAttestation
internal import StrictJSON

/// Verifies an app's answer to an `AppIntegrityCallback`.
///
/// Pure: no input or output, and the time is passed in. The caller makes sure that a challenge is answered once and in time.
package struct AppIntegrityVerifier: Sendable {
  /// What is expected of an answer.
  package struct Expectations: Sendable, Hashable {
    /// The challenge as it was sent: Base64.
    package var challenge: String

    /// The accepted apps: Apple's by their App ID (`TEAM.com.example.app`), others by their application id.
    package var applicationIDs: [String]

    /// Whether keys of App Attest's development environment are accepted.
    package var allowsDevelopment: Bool

    /// Whether a TPM's attestation is accepted, which proves the device and not the app.
    package var acceptsTPM: Bool

    package init(
      challenge: String, applicationIDs: [String], allowsDevelopment: Bool = false, acceptsTPM: Bool = false
    ) {
      self.challenge = challenge
      self.applicationIDs = applicationIDs
      self.allowsDevelopment = allowsDevelopment
      self.acceptsTPM = acceptsTPM
    }
  }

  /// The callback's inputs; empty where the client sent nothing.
  package struct Answer: Sendable, Hashable {
    package var attestation: String
    package var assertion: String
    package var keyID: String
    package var clientData: String

    package init(attestation: String, assertion: String = "", keyID: String = "", clientData: String = "") {
      self.attestation = attestation
      self.assertion = assertion
      self.keyID = keyID
      self.clientData = clientData
    }
  }

  private let configuration: AttestationVerifier.Configuration
  private let clock: @Sendable () -> Date

  /// - Parameters:
  ///   - configuration: The roots of App Attest and of TPMs.
  ///   - clock: The time at which certificates must be valid.
  package init(_ configuration: AttestationVerifier.Configuration, clock: @escaping @Sendable () -> Date) {
    self.configuration = configuration
    self.clock = clock
  }

  /// Whether a TPM's attestation can pass.
  package var trustsTPMs: Bool { !configuration.tpmRoots.isEmpty }

  /// - Throws: ``AppIntegrityFailure`` for the first check that fails.
  package func verify(
    _ answer: Answer, expecting expected: Expectations
  ) async throws(AppIntegrityFailure) -> VerifiedAppIntegrity {
    AppIntegrityToken.isOne(answer.attestation)
      ? try await verifyToken(answer.attestation, expected) : try await verifyAppAttest(answer, expected)
  }

  private func verifyAppAttest(
    _ answer: Answer, _ expected: Expectations
  ) async throws(AppIntegrityFailure) -> VerifiedAppIntegrity {
    let encoded = try Self.bytes(
      answer.clientData, AppIntegrityField.clientData, AppIntegrityClientData.maximumBytes)
    let clientData = try AppIntegrityClientData(parsing: encoded)
    try Self.check(clientData, expected)
    let attestation = try AppAttestAttestation(
      parsing: try Self.bytes(answer.attestation, AppIntegrityField.attestation, Self.maximumAttestationBytes)
    )
    let assertion = try AppAttestAssertion(
      parsing: try Self.bytes(answer.assertion, AppIntegrityField.assertion, AppAttestAssertion.maximumBytes))
    let hash = AppIntegrityClientData.hash(encoded)
    let key = try await attestation.verified(
      clientDataHash: hash, keyID: try Self.bytes(answer.keyID, AppIntegrityField.keyID, 32), expected,
      roots: configuration.appAttestRoots, revoked: configuration.revoked, at: clock())
    try assertion.verify(by: key, clientDataHash: hash)
    // The App ID is the team's prefix, which has no dot, and the bundle identifier.
    let attested = key.applicationID.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
    if let bundleID = clientData.bundleID, !attested.elementsEqual(bundleID.utf8) {
      throw AppIntegrityFailure(.clientDataMismatch, "the client data is of another app than the attestation")
    }
    return VerifiedAppIntegrity(
      .appAttest(key.environment), applicationID: key.applicationID,
      keyID: PaddedBase64.encode(key.identifier),
      root: key.root)
  }

  private func verifyToken(
    _ token: String, _ expected: Expectations
  ) async throws(AppIntegrityFailure) -> VerifiedAppIntegrity {
    guard expected.acceptsTPM else {
      throw AppIntegrityFailure(.deviceAttestationRefused, "a TPM's attestation is not accepted here")
    }
    let (clientData, key, thumbprint) = try AppIntegrityToken.parse(token)
    try Self.check(clientData, expected)
    guard let bundleID = clientData.bundleID, expected.applicationIDs.contains(where: bundleID.hasSameBytes)
    else {
      throw AppIntegrityFailure(.applicationMismatch, "the app is none of the expected ones")
    }
    // Without it the verifier would take the chain for Android's.
    guard key["tpm"] != nil else { throw AppIntegrityFailure(.tokenMalformed, "its key has no member tpm") }
    do throws(AttestationFailure) {
      let verified = try await AttestationVerifier(configuration, clock: clock).verify(
        jwk: key, challenge: PaddedBase64.decode(expected.challenge) ?? [], requiresLockout: false)
      return VerifiedAppIntegrity(
        .tpm(verified), applicationID: bundleID, keyID: thumbprint, root: verified.root)
    } catch {
      throw AppIntegrityFailure(error)
    }
  }

  /// The longest attestation object, in bytes.
  private static let maximumAttestationBytes = 64 << 10

  private static func check(
    _ clientData: AppIntegrityClientData, _ expected: Expectations
  ) throws(AppIntegrityFailure) {
    guard clientData.challenge.hasSameBytes(as: expected.challenge) else {
      throw AppIntegrityFailure(.challengeMismatch, "the client data has another challenge")
    }
  }

  private static func bytes(_ text: String, _ name: String, _ maximum: Int) throws(AppIntegrityFailure)
    -> [UInt8]
  {
    guard text.utf8.count <= (maximum + 2) / 3 * 4, let bytes = PaddedBase64.decode(text), !bytes.isEmpty,
      bytes.count <= maximum
    else {
      throw AppIntegrityFailure(
        .answerMalformed, "\(name) is missing, not Base64, or longer than \(maximum) bytes")
    }
    return bytes
  }
}
