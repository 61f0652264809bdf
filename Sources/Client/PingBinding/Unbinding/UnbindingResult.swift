public import Foundation

/// How an unbinding ended that left neither a record on the server nor a key on the device.
public enum UnbindingResult: Sendable, Hashable {
  /// The server had the record, and deleted it now.
  case deleted
  /// The server had no record any more: an earlier call, or somebody else, deleted it.
  case alreadyGone
}

/// Why an unbinding is not complete, and what is left.
///
/// Calling ``BindingModule/unbind(_:on:forceDelete:userKeyStorage:keyStore:authorizationVault:)`` again is safe and goes on where this one
/// ended.
public struct UnbindingError: LocalizedError, Sendable {
  /// What became of the server's record.
  public enum Record: Sendable {
    /// The server was not asked, because this device's keys could not be read.
    case untouched
    /// There is none.
    case gone
    /// The server refused, or did not answer; a record is, or may be, still there. `DeviceError` from a `DeviceClient`.
    case kept(any Error)
  }

  /// What became of the server's record.
  public let record: Record

  /// Whether the key on this device is gone. It is kept while the server keeps its record, unless `forceDelete` was given.
  public let isKeyDeleted: Bool

  /// Why the key could not be deleted; `nil` when it is gone, or kept because the record is.
  public let keyError: (any Error)?

  init(record: Record, isKeyDeleted: Bool, keyError: (any Error)? = nil) {
    self.record = record
    self.isKeyDeleted = isKeyDeleted
    self.keyError = keyError
  }

  public var errorDescription: String? {
    switch (record, keyError) {
    case (.kept(let error), nil) where isKeyDeleted:
      "The server still has its record of the binding: \(error.localizedDescription) The key was deleted from this "
        + "device all the same; delete the record when the server can be reached."
    case (.kept(let error), nil):
      "The server still has its record of the binding: \(error.localizedDescription) The key is still on this device "
        + "and can sign."
    case (.kept(let error), let keyError?):
      "The server still has its record of the binding: \(error.localizedDescription) Nor could the key be deleted from "
        + "this device: \(keyError.localizedDescription)"
    case (.untouched, let keyError):
      "Nothing was deleted, because this device's keys cannot be read: "
        + (keyError?.localizedDescription ?? "unknown reason")
    case (.gone, let keyError):
      "The server has deleted the binding, but its key is still on this device and will be deleted at the next "
        + "unbinding or binding: " + (keyError?.localizedDescription ?? "unknown reason")
    }
  }

  /// Why, for the app's developer; never `nil`.
  public var failureReason: String? {
    if case .kept(let error) = record { return error.localizedDescription }
    return keyError?.localizedDescription ?? "This device's keys could not be changed."
  }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? {
    switch record {
    case .kept: "Sign in as the key's user, and unbind again when the server can be reached."
    case .untouched, .gone: "Unbind again; what is done already is not done twice."
    }
  }
}
