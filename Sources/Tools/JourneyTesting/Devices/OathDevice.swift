internal import Concurrency
internal import Foundation
internal import OATH
internal import PushFormats

/// An authenticator for one-time codes.
final class OathDevice: Sendable {
  private struct Credential: Sendable {
    let password: OneTimePassword
    var counter: UInt64
  }

  private let credential = Locked<Credential?>(nil)

  /// Enrols with an `otpauth` or `mfauth` URI.
  func enrol(_ uri: String) throws {
    let parts = try EnrolmentURI(uri, schemes: ["otpauth", "mfauth"])
    let parameters = try OATHEnrolmentParameters(
      host: parts.scheme == "mfauth" ? "totp" : parts.host, value: parts.value)
    credential.withLock {
      $0 = Credential(
        password: OneTimePassword(secret: parameters.secret, profile: parameters.profile),
        counter: parameters.counter)
    }
  }

  /// The current code; `nil` when the authenticator has no credential.
  func code(at now: Date) -> String? {
    credential.withLock { credential in
      guard let credential else { return nil }
      let step = credential.password.profile.factor.step(at: now.timeIntervalSince1970)
      return credential.password.code(at: step ?? credential.counter)
    }
  }

  /// Moves to the next counter after the shown code was used. Time-based codes change by themselves.
  func advance() { credential.withLock { $0?.counter += 1 } }
}
