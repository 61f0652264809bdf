public import Foundation

/// Why an authenticator did not do what it was asked. Cancelling the task throws `CancellationError` instead.
public enum AuthenticatorError: LocalizedError, Sendable {
  /// It cannot do that; the text says what (WebAuthn L3 §6.3.2 step 2).
  case unsupported(String)

  /// The device has a credential that the relying party excludes. Nothing was made (§6.3.2 step 3).
  ///
  /// - Parameter consented: Whether the person let the relying party know.
  case excluded(consented: Bool)

  /// The person has to be verified, and the device cannot (§6.3.2 step 5).
  case constraint(String)

  /// The person does not want a new key.
  case declined

  /// There is no fitting credential, none was chosen, or the person was not verified; the text says which.
  case notAllowed(String)

  /// The key or its record cannot be made or used.
  case failed(any Error)

  public var errorDescription: String? {
    switch self {
    case .unsupported(let reason), .constraint(let reason), .notAllowed(let reason): reason
    case .excluded: "This device is registered already."
    case .declined: "The new key was declined."
    case .failed(let cause): cause.localizedDescription
    }
  }
}
