public import Foundation

/// Why a key could not be made, unlocked or removed. The text says what to do.
public enum DeviceKeyError: LocalizedError, Sendable, Hashable {
  /// The store has no key of this tag.
  case notFound(tag: String)

  /// The store has a key of this tag already.
  case exists(tag: String)

  /// The PIN does not unlock the key.
  case wrongPIN(tag: String)

  /// PINs are refused for a time, even the right one, because wrong ones were entered too often. After `retryAfter` seconds a PIN is accepted
  /// again; `nil` when that is not known, because some security chips do not say.
  case lockedOut(tag: String, retryAfter: TimeInterval?)

  /// Wrong PINs were entered too often: the key never signs again.
  case disabled(tag: String)

  /// The store's record of the key is whole, but its security chip no longer knows the key.
  case lost(tag: String, reason: String)

  /// Other programs use the security chip and did not release it in time; the text says what is busy.
  case busy(String)

  /// The store cannot do what was asked; the text says what and why.
  case unsupported(String)

  /// The key is there and cannot be used. The file was left as it is.
  case unreadable(path: String, reason: String)

  /// The store could not be changed. What was there before still is.
  case unwritable(path: String, reason: String)

  public var errorDescription: String? {
    [texts.what, texts.remedy].compactMap { $0 }.joined(separator: " ")
  }

  /// What failed; never `nil`.
  public var failureReason: String? { texts.what }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? {
    texts.remedy ?? "Use another key store, or another authentication type."
  }

  private var texts: (what: String, remedy: String?) {
    switch self {
    case .notFound(let tag):
      ("There is no key '\(tag)' on this device.", "Bind the device again.")
    case .exists(let tag):
      (
        "There is a key '\(tag)' already, and it was not replaced.",
        "Choose another tag or delete that key first."
      )
    case .wrongPIN(let tag):
      (
        "The PIN does not unlock the key '\(tag)'.",
        "Try again; if the PIN is forgotten, bind the device again."
      )
    case .lockedOut(let tag, let retryAfter):
      (
        "Too many wrong PINs: the key '\(tag)' stays locked for a time, even with the right PIN.",
        retryAfter.map { "Try again in \(Self.wholeSeconds($0)) seconds." }
          ?? "Try again later; a token's locked PIN needs the tool of its maker."
      )
    case .disabled(let tag):
      ("Too many wrong PINs: the key '\(tag)' is disabled for good.", "Bind the device again.")
    case .lost(let tag, let reason):
      ("The key '\(tag)' is gone: \(reason).", "Bind the device again.")
    case .busy(let reason):
      ("The security chip is busy: \(reason).", "Try again.")
    case .unsupported(let reason):
      (reason, nil)
    case .unreadable(let path, let reason):
      (
        "Cannot read \(path): \(reason).",
        "Nothing was changed; restore the file from a backup, or move it away and bind the device again."
      )
    case .unwritable(let path, let reason):
      (
        "Cannot write \(path): \(reason).",
        "Nothing was changed; check the disk and the permissions of its folder."
      )
    }
  }

  /// `interval` in whole seconds, for texts. A chip may report any number, and no number traps.
  package static func wholeSeconds(_ interval: TimeInterval) -> Int {
    Int(exactly: max(0, min(interval.rounded(.up), 1e15))) ?? 0
  }
}
