internal import Concurrency

/// A stored property that any thread may read and set: each access holds a lock.
///
/// Callbacks and configurations are changed by the app's user interface while a workflow reads them elsewhere. A read
/// followed by a write is two accesses, as with any property.
@propertyWrapper
public struct Guarded<Value: Sendable>: Sendable {
  private let value: Locked<Value>

  /// A guarded property that starts with `wrappedValue`.
  public init(wrappedValue: Value) { value = Locked(wrappedValue) }

  /// The value, read or replaced under the lock.
  public var wrappedValue: Value {
    get { value.withLock { $0 } }
    nonmutating set { value.withLock { $0 = newValue } }
  }
}

/// A weak stored property that any thread may read and set.
///
/// Meant for a callback's node: the node holds the callback, so the callback must not hold the node.
@propertyWrapper
public struct GuardedWeak<Object: AnyObject & Sendable>: Sendable {
  private struct Reference: Sendable { weak var object: Object? }

  private let reference: Locked<Reference>

  /// A guarded property that starts with `wrappedValue`.
  public init(wrappedValue: Object?) { reference = Locked(Reference(object: wrappedValue)) }

  /// The object, as long as something else holds it.
  public var wrappedValue: Object? {
    get { reference.withLock { $0.object } }
    nonmutating set { reference.withLock { $0.object = newValue } }
  }
}
