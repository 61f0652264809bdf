import CommonFixtures
import Concurrency
import Foundation

#if canImport(Glibc)
  private let noSignal = Int32(MSG_NOSIGNAL)
#else
  private let noSignal: Int32 = 0
#endif

/// An HTTP server on the loopback interface that gives every request the answer of a closure.
final class LocalServer: Sendable {
  struct Request: Sendable {
    var head: String
    var body: String

    var requestLine: String { String(head.prefix { $0 != "\r\n" }) }

    /// The values of the header `name`.
    func headers(_ name: String) -> [String] {
      head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
  }

  let url: String
  private let listener: LoopbackListener
  private let received = Locked<[Request]>([])

  /// What was asked so far.
  var requests: [Request] { received.withLock { $0 } }

  /// - Parameter answer: The whole response as text, or `nil` to never answer.
  init(_ answer: @escaping @Sendable (Request) -> String?) throws {
    let listener = try LoopbackListener()
    self.listener = listener
    url = "http://127.0.0.1:\(listener.port)"
    Thread.detachNewThread { [received] in
      while let connection = listener.accept() {
        Thread.detachNewThread { Self.serve(connection, received, answer) }
      }
    }
  }

  deinit { listener.stop() }

  private static func serve(
    _ connection: Int32, _ received: Locked<[Request]>, _ answer: (Request) -> String?
  ) {
    defer { close(connection) }
    guard let request = readRequest(connection) else { return }
    received.withLock { $0.append(request) }
    guard let answer = answer(request) else {
      // Never answers: stays until the client goes.
      var byte: UInt8 = 0
      while read(connection, &byte, 1) > 0 {}
      return
    }
    let bytes = Array(answer.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { return }
      sent += count
    }
  }

  private static func readRequest(_ connection: Int32) -> Request? {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if let end = data.range(of: Data("\r\n\r\n".utf8)) {
        let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
        let body = data[end.upperBound...]
        let length = Request(head: head, body: "").headers("Content-Length").first.flatMap { Int($0) } ?? 0
        if body.count >= length { return Request(head: head, body: String(decoding: body, as: UTF8.self)) }
      }
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return nil }
      data.append(contentsOf: buffer[..<count])
    }
  }
}

/// An HTTP response as text.
func answer(_ status: String, headers: [String] = [], body: String = "") -> String {
  (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers)
    .joined(separator: "\r\n") + "\r\n\r\n" + body
}
