internal import Concurrency

/// A thread-safe dictionary that modules share.
///
/// Each call is atomic; a sequence of calls is not. Stored values must themselves be safe to use from any thread.
public final class SharedContext: Sendable {
  /// The names under which modules store. Modules extend it with static strings.
  public enum Keys {}

  // The published API takes `Any`: the dictionary is guarded by the lock, and the values are thread-safe by the contract
  // of `set`.
  private struct Contents: @unchecked Sendable { var values: [String: Any] }

  // Carries one value in or out of the lock, under the same contract.
  private struct Item: @unchecked Sendable { let value: Any? }

  private let contents: Locked<Contents>

  /// A context that starts with `map`.
  public init(_ map: [String: Any] = [:]) { contents = Locked(Contents(values: map)) }

  /// Stores `value`, which must be safe to use from any thread, in place of what was there.
  public func set(key: String, value: Any) {
    let item = Item(value: value)
    contents.withLock { $0.values[key] = item.value }
  }

  /// What is stored under `key`.
  public func get(key: String) -> Any? {
    contents.withLock { Item(value: $0.values[key]) }.value
  }

  /// Removes and returns what is stored under `key`.
  public func removeValue(forKey key: String) -> Any? {
    contents.withLock { Item(value: $0.values.removeValue(forKey: key)) }.value
  }

  /// Whether nothing is stored.
  public var isEmpty: Bool { contents.withLock { $0.values.isEmpty } }
}

/// One run of a workflow, from `start` to the last node. Runs do not see each other's values.
// Its one stored property is immutable and Sendable.
public class FlowContext: @unchecked Sendable {
  /// What the modules share during this run.
  public let flowContext: SharedContext

  /// A run that shares `flowContext`.
  public init(flowContext: SharedContext) { self.flowContext = flowContext }
}
