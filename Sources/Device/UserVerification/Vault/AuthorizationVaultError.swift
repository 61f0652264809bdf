public import Foundation

/// Why an authorisation was not kept or not released. The text says what to do.
public enum AuthorizationVaultError: LocalizedError, Sendable, Hashable {
  /// The vault has nothing for this key.
  case notFound(tag: String)
  /// The vault has something for this key already, and it was not replaced.
  case exists(tag: String)
  /// Other fingers or faces are enrolled than when the key was made.
  case enrolmentChanged(tag: String)
  /// The key was made with another reader than the current one, which knows nothing about it.
  case otherReader(tag: String)
  /// The key is released for a finger or a face only.
  case biometricOnly(tag: String)
  /// The key was made while nothing was enrolled: it is released for the device's credential only.
  case credentialOnly(tag: String)
  /// The vault cannot keep such a key; the text says why.
  case unsupported(String)
  /// The entry is there and cannot be used. The file was left as it is.
  case unreadable(path: String, reason: String)
  /// The vault could not be changed. What was there before still is.
  case unwritable(path: String, reason: String)

  public var errorDescription: String? {
    [texts.what, texts.remedy].compactMap { $0 }.joined(separator: " ")
  }

  /// What failed; never `nil`.
  public var failureReason: String? { texts.what }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? { texts.remedy ?? "Use another authentication type." }

  private var texts: (what: String, remedy: String?) {
    switch self {
    case .notFound(let tag):
      ("There is no authorisation for the key '\(tag)' on this device.", "Bind the device again.")
    case .exists(let tag):
      ("There is an authorisation for the key '\(tag)' already, and it was not replaced.", "Remove it first.")
    case .enrolmentChanged(let tag):
      (
        "The enrolled fingers or faces have changed since the key '\(tag)' was made.",
        "The key is kept: enrol them as they were, or decide what becomes of it with 'sealring keys repair', or bind"
          + " the device again."
      )
    case .otherReader(let tag):
      (
        "The key '\(tag)' was made with another fingerprint reader.",
        "Connect that one, or make it the default again."
      )
    case .biometricOnly(let tag):
      ("The key '\(tag)' needs an enrolled finger or face.", "Use the reader.")
    case .credentialOnly(let tag):
      ("The key '\(tag)' was made while nothing was enrolled.", "Use the device's password.")
    case .unsupported(let reason):
      (reason, nil)
    case .unreadable(let path, let reason):
      (
        "Cannot read \(path): \(reason).",
        "Nothing was changed; restore the file from a backup, or bind the device again."
      )
    case .unwritable(let path, let reason):
      (
        "Cannot write \(path): \(reason).",
        "Nothing was changed; check the disk and the permissions of its folder."
      )
    }
  }
}
