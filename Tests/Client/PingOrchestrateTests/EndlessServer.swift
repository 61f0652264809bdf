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
  private let listener: Int32

  init(_ pace: Pace) throws {
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      return bind(listener, pointer, size) == 0 && listen(listener, 1) == 0
        && getsockname(listener, pointer, &size) == 0
    }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    let (answering, ended) = AsyncStream.makeStream(of: Never.self)
    self.answering = answering
    Thread.detachNewThread {
      defer { ended.finish() }
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { return }
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

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }
}
