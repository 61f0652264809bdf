internal import Foundation

/// A weak reference that any thread may read and set.
// The reference is only touched while the lock is held. What becomes of the object is its own affair: delegates need not be
// Sendable, and are called as their documentation says.
final class WeakObject: @unchecked Sendable {
  private let lock = NSLock()
  private weak var held: AnyObject?

  var object: AnyObject? {
    get { lock.withLock { held } }
    set { lock.withLock { held = newValue } }
  }
}

/// Hands a value that is not Sendable to the one task that uses it from then on.
// The sender does not use it afterwards.
struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
