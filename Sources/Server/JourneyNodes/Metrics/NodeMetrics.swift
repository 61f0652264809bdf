/// Where nodes measure what their journey's author wants measured.
///
/// The names come from journey files: the collector bounds how many there are.
public struct NodeMetrics: Sendable {
  /// Counts `name` once.
  public var count: @Sendable (_ name: String) -> Void

  /// Records a duration for `name`.
  public var record: @Sendable (_ name: String, _ time: Duration) -> Void

  /// Keeps nothing.
  public static let none = NodeMetrics(count: { _ in }, record: { _, _ in })

  public init(
    count: @escaping @Sendable (_ name: String) -> Void,
    record: @escaping @Sendable (_ name: String, _ time: Duration) -> Void
  ) {
    self.count = count
    self.record = record
  }
}
