public import Foundation

/// Why a protected file could not be used. The text names the file and says what to do.
public enum FileStorageError: LocalizedError, Sendable, Hashable {
  /// The file exists but could not be read, decrypted or understood. It was left as it is.
  case unreadable(path: String, reason: String)

  /// The file could not be written or removed. Its earlier content is still there.
  case unwritable(path: String, reason: String)

  /// The folder belongs to, or is open to, other users of the machine.
  case unprotected(path: String, reason: String)

  /// The file to create already exists.
  case exists(path: String)

  /// Another process did not release its lock in time.
  case locked(path: String)

  public var errorDescription: String? { "\(texts.problem) \(texts.advice)" }
  public var failureReason: String? { texts.problem }
  public var recoverySuggestion: String? { texts.advice }

  private var texts: (problem: String, advice: String) {
    switch self {
    case .unreadable(let path, let reason):
      (
        "Cannot read \(path): \(reason).",
        "Nothing was changed; repair the file or its permissions, or move it away to start afresh."
      )
    case .unwritable(let path, let reason):
      (
        "Cannot write \(path): \(reason).",
        "Nothing was changed; check the disk and the permissions of its folder."
      )
    case .unprotected(let path, let reason):
      (
        "\(path) is not safe for secrets: \(reason).",
        "Choose another folder; if this one is yours and not a link, run: chmod 700 '\(path)'"
      )
    case .exists(let path):
      ("\(path) already exists and was not replaced.", "Choose another name, or remove the file.")
    case .locked(let path):
      ("Another process holds the lock \(path).", "Wait until it is done, or end it, then try again.")
    }
  }

  /// The same text as ``errorDescription``.
  public var errorMessage: String { errorDescription ?? "" }
}
