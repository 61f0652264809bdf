#if canImport(os)
  public import os
#else
  public import Synchronization
#endif

/// A value that is only reachable while its lock is held.
///
/// One name for `OSAllocatedUnfairLock` on Apple platforms, whose minimum version predates `Mutex`, and for `Mutex`
/// elsewhere. Never await while holding it: the closure is synchronous.
public final class Locked<Value: Sendable>: Sendable {
  #if canImport(os)
    @usableFromInline let lock: OSAllocatedUnfairLock<Value>

    @inlinable public init(_ value: Value) { lock = OSAllocatedUnfairLock(initialState: value) }
  #elseif SEALRING_THREAD_SANITIZER
    @usableFromInline let lock: PosixMutex<Value>

    @inlinable public init(_ value: Value) { lock = PosixMutex(value) }
  #else
    @usableFromInline let lock: Mutex<Value>

    @inlinable public init(_ value: Value) { lock = Mutex(value) }
  #endif

  /// Runs `body` with exclusive access to the value.
  @inlinable public func withLock<Result: Sendable>(
    _ body: @Sendable (inout Value) throws -> Result
  ) rethrows -> Result {
    try lock.withLock { try body(&$0) }
  }
}
