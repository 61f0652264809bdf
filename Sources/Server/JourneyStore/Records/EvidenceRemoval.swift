/// What came of ``ServerStore/removeEvidencePortion(before:amongFirst:limit:machineTime:)``.
public struct EvidenceRemoval: Sendable, Hashable {
  /// How many entries have no content now.
  public var removed: Int64

  /// How many of them lost it by this call.
  public var new: Int64

  /// Whether nothing more is to be removed.
  public var isComplete: Bool

  public init(removed: Int64, new: Int64, isComplete: Bool) {
    self.removed = removed
    self.new = new
    self.isComplete = isComplete
  }
}
