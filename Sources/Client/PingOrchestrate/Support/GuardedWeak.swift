internal import Concurrency

/// A weak stored property that any thread may read and set.
///
/// For the node that holds a callback, which must not be held by the callback in turn.
@propertyWrapper
public struct GuardedWeak<Object: AnyObject & Sendable>: Sendable {
  private struct Reference: Sendable { weak var object: Object? }

  private let reference: Locked<Reference>

  /// A guarded property that starts with `wrappedValue`.
  public init(wrappedValue: Object?) { reference = Locked(Reference(object: wrappedValue)) }

  /// The object, as long as somebody else holds it.
  public var wrappedValue: Object? {
    get { reference.withLock { $0.object } }
    nonmutating set { reference.withLock { $0.object = newValue } }
  }
}
