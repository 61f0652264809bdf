internal import Concurrency
internal import HummingbirdCore
internal import NIOCore

/// A connection on its way from the listener to the task that serves it.
///
/// It may never get there. The listener can close just after it accepted the connection, and a cancelled listener drops those
/// that it has not handed over. SwiftNIO ends the whole process when the writer of an open connection is dropped
/// (`NIOAsyncWriter`), so such a connection is closed and finished here, without answering what it may have sent.
package final class AcceptedConnection: ServerChildChannelValue {
  /// Whether the current task only finishes a connection that nobody took: no request may be answered.
  @TaskLocal static var isAbandoned = false

  let channel: any Channel
  private let serving: @Sendable () async -> Void
  private let isTaken = Locked(false)

  /// - Parameter serving: Serves the connection until it is closed.
  init(channel: any Channel, serving: @escaping @Sendable () async -> Void) {
    self.channel = channel
    self.serving = serving
  }

  deinit {
    guard !isTaken.withLock({ $0 }) else { return }
    channel.close(promise: nil)
    Task { [serving] in await Self.$isAbandoned.withValue(true) { await serving() } }
  }

  /// Serves the connection until it is closed.
  func serve() async {
    isTaken.withLock { $0 = true }
    await serving()
  }

  /// Serves until `channel` is closed. When the calling task is cancelled, the connection closes first, and only then is
  /// `serving` cancelled: a cancelled HTTP/2 connection that is still open drops its new streams, and their writers with them.
  static func closingBeforeCancellation(
    of channel: any Channel, _ serving: @escaping @Sendable () async -> Void
  ) async {
    let task = Task { await serving() }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      channel.close(promise: nil)
      channel.closeFuture.whenComplete { _ in task.cancel() }
    }
  }
}
