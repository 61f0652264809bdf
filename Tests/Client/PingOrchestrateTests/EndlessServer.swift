import CommonFixtures
import Foundation

#if canImport(Glibc)
  private let noSignal = Int32(MSG_NOSIGNAL)
#else
  private let noSignal: Int32 = 0
#endif

/// An HTTP server on the loopback interface that answers the first request with the head of an answer, then with blanks that
/// never end.
final class EndlessServer: Sendable {
  enum Pace: Sendable {
    /// As fast as they are taken.
    case flood
    /// One now and then, so that the connection is never idle for long.
    case drip
  }

  let url: String
  /// Ends when the client has gone.
  let answering: AsyncStream<Never>
  private let listener: LoopbackListener

  init(_ pace: Pace) throws {
    let listener = try LoopbackListener(backlog: 1)
    self.listener = listener
    url = "http://127.0.0.1:\(listener.port)"
    let (answering, ended) = AsyncStream.makeStream(of: Never.self)
    self.answering = answering
    Thread.detachNewThread {
      defer { ended.finish() }
      guard let connection = listener.accept() else { return }
      defer { close(connection) }
      var request = [UInt8](repeating: 0, count: 65536)
      guard read(connection, &request, request.count) > 0 else { return }
      let head = Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n".utf8)
      guard send(connection, head, head.count, noSignal) == head.count else { return }
      let blanks = [UInt8](repeating: 0x20, count: pace == .flood ? 1 << 16 : 1)
      while true {
        let count = send(connection, blanks, blanks.count, noSignal)
        // The client has gone.
        guard count > 0 else { return }
        if pace == .drip { usleep(20_000) }
      }
    }
  }

  deinit { listener.stop() }
}
