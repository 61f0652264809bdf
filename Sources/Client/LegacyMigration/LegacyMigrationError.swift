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

  private static func text(of error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
  }
}
