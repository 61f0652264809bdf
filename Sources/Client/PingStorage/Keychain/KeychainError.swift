public import Foundation

/// Why the keychain failed. The log has its status code.
public enum KeychainError: LocalizedError, Sendable {
  /// The item was not saved; the old one is still there.
  case unableToSave

  /// An item may exist, but the keychain did not return it.
  case unableToRetrieve

  /// The item was not deleted.
  case unableToDelete

  public var errorDescription: String? {
    switch self {
    case .unableToSave:
      "The keychain did not save the item. Unlock the device and check the app's keychain entitlement."
    case .unableToRetrieve:
      "The keychain did not return the item. Unlock the device and check the app's keychain entitlement."
    case .unableToDelete:
      "The keychain did not delete the item. Unlock the device and check the app's keychain entitlement."
    }
  }

  public var failureReason: String? {
    switch self {
    case .unableToSave: "The keychain refused to store the item; the log has its status."
    case .unableToRetrieve: "The keychain refused to return the item; the log has its status."
    case .unableToDelete: "The keychain refused to delete the item; the log has its status."
    }
  }

  public var recoverySuggestion: String? {
    "Unlock the device, check the app's keychain entitlement, then try again."
  }

  /// The same text as ``errorDescription``.
  public var errorMessage: String { errorDescription ?? "" }
}
