/// What a ``StorageDelegate`` keeps in memory beside the storage behind it.
public enum CacheStrategy: Sendable {
  /// Nothing.
  case noCache

  /// Every saved item, also when the storage behind could not keep it: the failure is logged, and the item lasts until
  /// the process ends.
  case cache

  /// Only items that the storage behind could not keep: the failure is logged, and the item lasts until the process
  /// ends.
  case cacheOnFailure
}
