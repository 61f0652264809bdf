public import Foundation

/// Why legacy accounts were not migrated.
public enum LegacyMigrationError: LocalizedError {
  /// The legacy storage cannot be read. Nothing was changed; the next run tries again.
  case failedToReadLegacyData(any Error)
  /// The accounts could not be saved to, or read back from, the new storage. The legacy entries are unchanged.
  case failedToSave(any Error)
  /// The accounts are migrated, but their legacy entries could not be deleted. The next run tries again.
  case failedToDeleteLegacyData(any Error)
  /// There are no legacy entries: a new installation, or one that was migrated and cleaned up.
  case noLegacyDataFound
  /// Everything that can be migrated was migrated in a previous run.
  case alreadyMigrated
  /// None of the legacy entries can be migrated. They were left alone.
  case invalidLegacyData(String)

  public var errorDescription: String? {
    switch self {
    case .failedToReadLegacyData(let error): "Failed to read legacy accounts: \(Self.text(of: error))"
    case .failedToSave(let error): "Failed to save migrated accounts: \(Self.text(of: error))"
    case .failedToDeleteLegacyData(let error): "Failed to delete legacy data: \(Self.text(of: error))"
    case .noLegacyDataFound: "No legacy data found to migrate"
    case .alreadyMigrated: "Migration has already been completed"
    case .invalidLegacyData(let reason): "Invalid legacy data: \(reason)"
    }
  }

  /// Why, for the app's developer; never `nil`.
  public var failureReason: String? {
    switch self {
    case .failedToReadLegacyData(let error), .failedToSave(let error), .failedToDeleteLegacyData(let error):
      Self.text(of: error)
    case .noLegacyDataFound: "This is a new installation, or one that was migrated and cleaned up."
    case .alreadyMigrated: "Everything that can be migrated was migrated before."
    case .invalidLegacyData(let reason): reason
    }
  }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? {
    switch self {
    case .failedToReadLegacyData, .failedToSave: "Try again; nothing was changed."
    case .failedToDeleteLegacyData:
      "No action is needed: the accounts are migrated, and the next run deletes the remaining entries."
    case .noLegacyDataFound, .alreadyMigrated: "No action is needed."
    case .invalidLegacyData: "Enrol this device again. The entries were left alone."
    }
  }

  private static func text(of error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
  }
}
