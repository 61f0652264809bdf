public import Foundation
internal import LegacyMigration

/// Why legacy keys were not migrated.
public enum MigrationError: LocalizedError {
  /// The legacy storage cannot be read. Nothing was changed; the next run tries again.
  case failedToReadLegacyKeys(any Error)
  /// The keys could not be saved to, or read back from, the new storage. The legacy entries are unchanged.
  case failedToSaveKeys(any Error)
  /// The keys are migrated, but their legacy entries could not be deleted. The next run tries again.
  case failedToDeleteLegacyData(any Error)
  /// There are no legacy entries: a new installation, or one that was migrated and cleaned up.
  case noLegacyDataFound
  /// Every legacy key that can be migrated was migrated in a previous run.
  case alreadyMigrated
  /// None of the legacy entries describes a key. They were left alone.
  case invalidLegacyData(String)

  public var errorDescription: String? {
    switch self {
    case .failedToReadLegacyKeys(let error): "Failed to read legacy user keys: \(Self.text(of: error))"
    case .failedToSaveKeys(let error): "Failed to save migrated keys: \(Self.text(of: error))"
    case .failedToDeleteLegacyData(let error): "Failed to delete legacy data: \(Self.text(of: error))"
    case .noLegacyDataFound: "No legacy data found to migrate"
    case .alreadyMigrated: "Migration has already been completed"
    case .invalidLegacyData(let reason): "Invalid legacy data: \(reason)"
    }
  }

  /// The reason, for the app's developer; never `nil`.
  public var failureReason: String? {
    switch self {
    case .failedToReadLegacyKeys(let error), .failedToSaveKeys(let error),
      .failedToDeleteLegacyData(let error):
      Self.text(of: error)
    case .noLegacyDataFound: "This is a new installation, or one that was migrated and cleaned up."
    case .alreadyMigrated: "Every legacy key that can be migrated was migrated before."
    case .invalidLegacyData(let reason): reason
    }
  }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? {
    switch self {
    case .failedToReadLegacyKeys, .failedToSaveKeys: "Try again; nothing was changed."
    case .failedToDeleteLegacyData:
      "No action is needed: the keys are migrated, and the next run deletes the remaining entries."
    case .noLegacyDataFound, .alreadyMigrated: "No action is needed."
    case .invalidLegacyData: "Bind this device again. The entries were left alone."
    }
  }

  private static func text(of error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
  }
}

extension MigrationError {
  init(_ error: LegacyMigrationError) {
    switch error {
    case .failedToReadLegacyData(let error): self = .failedToReadLegacyKeys(error)
    case .failedToSave(let error): self = .failedToSaveKeys(error)
    case .failedToDeleteLegacyData(let error): self = .failedToDeleteLegacyData(error)
    case .noLegacyDataFound: self = .noLegacyDataFound
    case .alreadyMigrated: self = .alreadyMigrated
    case .invalidLegacyData(let reason): self = .invalidLegacyData(reason)
    }
  }
}
