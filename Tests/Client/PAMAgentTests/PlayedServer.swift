#if os(Linux) && DEBUG
  import CommonFixtures
  import Concurrency
  import Foundation

  /// A server that answers as a test says, one request a connection.
  final class PlayedServer: Sendable {
    let address: String
    private let listener: LoopbackListener
    private let seen = Locked<[String]>([])

    /// The first lines of the requests.
    var requests: [String] { seen.withLock { $0 } }

    /// - Parameter answer: The status and the body of the answer to a request, whose first line it is given.
    init(_ answer: @escaping @Sendable (String) -> (status: String, body: String)) throws {
      let listener = try LoopbackListener()
      self.listener = listener
      address = "http://127.0.0.1:\(listener.port)/am"
      Thread.detachNewThread { [seen] in
        while let connection = listener.accept() {
          if let request = Self.request(connection) {
            seen.withLock { $0.append(request) }
            let (status, body) = answer(request)
            let text =
              "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
            _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
          }
          close(connection)
        }
      }
    }

    deinit { listener.stop() }

    /// Reads a request with its body, and returns its first line.
    private static func request(_ connection: Int32) -> String? {
      var text = ""
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        if let end = text.range(of: "\r\n\r\n") {
          let length = text.firstMatch(of: /[Cc]ontent-[Ll]ength: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
          if text[end.upperBound...].utf8.count >= length { return String(text.prefix { $0 != "\r\n" }) }
        }
        let count = read(connection, &buffer, buffer.count)
        guard count > 0 else { return nil }
        text += String(decoding: buffer[..<count], as: UTF8.self)
      }
    }
  }
#endif
