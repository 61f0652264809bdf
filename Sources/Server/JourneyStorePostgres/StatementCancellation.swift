internal import Concurrency
internal import Dispatch

/// Asks PostgreSQL to end statements whose answer nobody waits for any more, so that they do not keep running, hold their locks, and make
/// changes that were reported as failed.
///
/// libpq waits on a connection of its own until the server has confirmed, and a frozen server never does. So only a few cancellations run
/// at once, each on a thread; the others are left to `statement_timeout`.
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
