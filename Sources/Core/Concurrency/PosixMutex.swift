#if SEALRING_THREAD_SANITIZER
  internal import Glibc

  /// A value behind a lock of the C library, in builds for the thread sanitizer (`scripts/sanitize`).
  ///
  /// The sanitizer sees the order that this lock creates. It does not see into `Mutex`, because the standard library is not compiled for
  /// it, and would report every value behind one.
  // Unchecked: `value` is only read and written while `mutex` is held, and `mutex` stays where it is until the end.
  @usableFromInline final class PosixMutex<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    @usableFromInline init(_ value: Value) {
      self.value = value
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    @usableFromInline func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value)
    }
  }
#endif
