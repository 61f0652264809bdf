internal import Concurrency
internal import Dispatch

/// Asks PostgreSQL to end statements whose answer nobody waits for any more, so that they do not go on, keep their locks, and make
/// something that somebody was told did not happen.
///
/// libpq waits on a connection of its own until the other side has taken note, and a side that is frozen never does. So a few are asked
/// for at once, each on a thread; what finds no place is left to `statement_timeout`.
enum StatementCancellation {
  private static let limit = 4
  private static let running = Locked(0)
  private static let queue = DispatchQueue(label: "sealring.postgres.cancel", attributes: .concurrent)

  /// Carries out `body` after the statement was cancelled, or at once when that is not possible.
  static func begin(_ connection: OpaquePointer, _ pq: LibPQ, then body: @escaping @Sendable () -> Void) {
    let isFree = running.withLock { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
    guard isFree, let handle = pq.cancelHandle(connection) else {
      if isFree { running.withLock { $0 -= 1 } }
      return body()
    }
    let reference = Handle(pointer: handle)
    queue.async {
      var reason = [CChar](repeating: 0, count: 256)
      _ = pq.cancel(reference.pointer, &reason, CInt(reason.count))
      pq.freeCancelHandle(reference.pointer)
      running.withLock { $0 -= 1 }
      body()
    }
  }

  /// Unchecked: libpq copies into it what it needs of the connection, and one thread uses it, once.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }
}
