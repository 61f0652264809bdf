internal import Concurrency
internal import DeviceKeys
package import UserVerification

/// Recognises the person by a finger in place of the security key's PIN ("built-in user verification", CTAP 2.1 §6.5.5.7.3).
///
/// Somebody who can enrol a finger could otherwise sign in without the PIN. Fingers therefore count only if they were enrolled when the
/// person last entered the PIN at our question, which says so. Without a PIN, the fingers that were there first count.
package struct SecurityKeyFingers: Sendable {
  /// Whether the fingers that are enrolled now count.
  enum Standing: Sendable, Equatable {
    /// There is no reader, or nobody is enrolled.
    case absent
    /// Fingers are enrolled, and none were trusted yet.
    case untrusted(EnrolmentFingerprint)
    /// The enrolled fingers are not the ones that were trusted.
    case changed(EnrolmentFingerprint)
    case trusted
  }

  /// The tag of the vault's one value. The value unlocks nothing; only its release counts.
  private static let tag = "ctap:fingers"
  /// How long the reader may take to say what is enrolled.
  private static let limit = Duration.seconds(3)

  private let reader: any BiometricVerifier
  private let vault: AuthorizationVault

  /// - Parameter vault: Remembers which fingers are trusted; for this security key only.
  package init(reader: any BiometricVerifier, vault: AuthorizationVault) {
    (self.reader, self.vault) = (reader, vault)
  }

  func standing() async -> Standing {
    let enrolled = try? await firstOf({ [reader] in try await reader.enrolment() }, orAfter: Self.limit)
    guard let enrolled else { return .absent }
    do {
      try vault.requireUnchanged(tag: Self.tag, current: .enrolled(enrolled))
      return .trusted
    } catch AuthorizationVaultError.notFound {
      return .untrusted(enrolled)
    } catch {
      return .changed(enrolled)
    }
  }

  /// Trusts the fingers of `enrolment`, and none that was enrolled since.
  func trust(_ enrolment: EnrolmentFingerprint) throws {
    try vault.remove(tag: Self.tag)
    try vault.store(
      AuthorizationValue(), tag: Self.tag, protection: .biometricOnly, enrolment: enrolment)
  }

  func forget() throws { try vault.remove(tag: Self.tag) }

  /// Waits for a finger.
  ///
  /// - Returns: Whether the finger counts.
  /// - Throws: `UserVerificationError`, `AuthorizationVaultError`, `CancellationError`.
  func verify(
    reason: String, trustsFirst: Bool, progress: @escaping @Sendable (BiometricProgress) -> Void
  ) async throws -> Bool {
    let verification: BiometricVerification
    do {
      verification = try await reader.verify(reason: reason, progress: progress)
    } catch UserVerificationError.notRecognised {
      return false
    }
    do {
      _ = try vault.release(tag: Self.tag, for: .biometric(verification))
    } catch AuthorizationVaultError.notFound(_) where trustsFirst {
      try trust(verification.enrolment)
    }
    return true
  }
}
