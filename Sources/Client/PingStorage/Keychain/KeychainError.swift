public import Foundation

/// Why the keychain refused. The log has its status code.
public enum KeychainError: LocalizedError, Sendable {
  /// The item was not saved; the old one is still there.
  case unableToSave

  /// An item may be there, and the keychain did not hand it out.
  case unableToRetrieve

  /// The item was not deleted.
  case unableToDelete

  public var errorDescription: String? {
    switch self {
    case .unableToSave:
      "The keychain did not save the item. Unlock the device and check the app's keychain entitlement."
    case .unableToRetrieve:
      "The keychain did not hand out the item. Unlock the device and check the app's keychain entitlement."
    case .unableToDelete:
      "The keychain did not delete the item. Unlock the device and check the app's keychain entitlement."
    }
  }

  public var failureReason: String? {
    switch self {
    case .unableToSave: "The keychain refused to store the item; the log has its status."
    case .unableToRetrieve: "The keychain refused to hand out the item; the log has its status."
    case .unableToDelete: "The keychain refused to delete the item; the log has its status."
    }
  }

  public var recoverySuggestion: String? {
    "Unlock the device, check the app's keychain entitlement, then try again."
  }

  /// The same text as ``errorDescription``.
  public var errorMessage: String { errorDescription ?? "" }
}
