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
