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

  /// Takes what an `otpauth` or `mfauth` URI offers.
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

  /// The code that the authenticator shows now; `nil` when it has no credential.
  func code(at now: Date) -> String? {
    credential.withLock { credential in
      guard let password = credential?.password else { return nil }
      if let step = password.profile.factor.step(at: now.timeIntervalSince1970) {
        return password.code(at: step)
      }
      return password.code(at: credential?.counter ?? 0)
    }
  }

  /// The code that is shown was used: the next one comes from the next counter. Codes by time come by themselves.
  func advance() { credential.withLock { $0?.counter += 1 } }
}
