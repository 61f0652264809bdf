public import Foundation

/// The result of a complete unbinding: neither a record on the server nor a key on the device is left.
public enum UnbindingResult: Sendable, Hashable {
  /// The server had the record, and deleted it now.
  case deleted
  /// The server had no record: it was deleted earlier.
  case alreadyGone
}

/// Why an unbinding is not complete, and what is left.
///
/// Calling ``BindingModule/unbind(_:on:forceDelete:userKeyStorage:keyStore:authorizationVault:)`` again is safe and continues where
/// this call ended.
public struct UnbindingError: LocalizedError, Sendable {
  /// The state of the server's record.
  public enum Record: Sendable {
    /// The server was not asked, because this device's keys could not be read.
    case untouched
    /// The record is deleted.
    case gone
    /// The server refused, or did not answer; a record exists, or may. A `DeviceClient` reports a `DeviceError`.
    case kept(any Error)
  }

  /// The state of the server's record.
  public let record: Record

  /// Whether the key on this device is deleted. It is kept while the server keeps its record, unless `forceDelete` was given.
  public let isKeyDeleted: Bool

  /// Why the key could not be deleted; `nil` when it was deleted, or kept with the record.
  public let keyError: (any Error)?

  init(record: Record, isKeyDeleted: Bool, keyError: (any Error)? = nil) {
    self.record = record
    self.isKeyDeleted = isKeyDeleted
    self.keyError = keyError
  }

  public var errorDescription: String? {
    let keyReason = keyError?.localizedDescription
    switch record {
    case .kept(let error):
      let outcome =
        if let keyReason {
          "The key could not be deleted from this device either: \(keyReason)"
        } else if isKeyDeleted {
          "The key was deleted from this device anyway; delete the record when the server can be reached."
        } else {
          "The key is still on this device and can sign."
        }
      return "The server still has its record of the binding: \(error.localizedDescription) \(outcome)"
    case .untouched:
      return
        "Nothing was deleted, because this device's keys cannot be read: \(keyReason ?? "unknown reason")"
    case .gone:
      return
        "The server has deleted the binding, but its key is still on this device and will be deleted at the next"
        + " unbinding or binding: \(keyReason ?? "unknown reason")"
    }
  }

  /// The reason, for the app's developer; never `nil`.
  public var failureReason: String? {
    if case .kept(let error) = record { return error.localizedDescription }
    return keyError?.localizedDescription ?? "This device's keys could not be changed."
  }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? {
    switch record {
    case .kept: "Sign in as the key's user, and unbind again when the server can be reached."
    case .untouched, .gone: "Unbind again; completed steps are not repeated."
    }
  }
}
