import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One HTTP/1.1 request to a port of this machine, over a socket: Foundation's client does not take chromedriver's answers.
struct LoopbackRequest: Sendable {
  private let port: UInt16
  private let text: [UInt8]

  /// Longest accepted answer in bytes.
  private static let maximumBytes = 16 << 20

  /// How long the other side may say nothing, in seconds: longer than a page takes to load on a busy machine, so that a browser that waits
  /// for itself fails a test instead of holding up all of them.
  private static let patience = 240

  /// - Parameter url: `http://127.0.0.1:PORT/…`.
  init(_ method: String, _ url: String, body: [UInt8]) throws {
    guard let parts = URLComponents(string: url), parts.host == "127.0.0.1",
      let port = parts.port.flatMap(UInt16.init(exactly:))
    else { throw BrowserFailure(description: "\(url) is not on this machine") }
    self.port = port
    let head = [
      "\(method) \(parts.percentEncodedPath) HTTP/1.1", "Host: 127.0.0.1:\(port)",
      "Content-Type: application/json", "Content-Length: \(body.count)", "Connection: close",
    ]
    text = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }

  func answer() async throws -> (status: Int, body: [UInt8]) {
    // The calls below wait for the other side, which must not hold up other tests.
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try exchange() }) }
    }
  }

  private func exchange() throws -> (status: Int, body: [UInt8]) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw BrowserFailure(description: "no socket: \(errno)") }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw BrowserFailure(description: "no connection to \(port): \(errno)") }
    var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
    guard
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size)) == 0
    else { throw BrowserFailure(description: "no limit for the socket's reads: \(errno)") }
    try handle.write(contentsOf: Data(text))
    var (received, buffer) = (Data(), [UInt8](repeating: 0, count: 64 << 10))
    while received.count < Self.maximumBytes {
      if let answer = Self.parse(received) { return answer }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      received += buffer[..<count]
    }
    throw BrowserFailure(
      description: "no answer from \(port) to \(String(decoding: text.prefix(2000), as: UTF8.self))")
  }

  /// `nil` while something is missing.
  private static func parse(_ data: Data) -> (status: Int, body: [UInt8])? {
    guard let end = data.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
    let body = data[end.upperBound...]
    guard let length, body.count >= length else { return nil }
    return (status, Array(body.prefix(length)))
  }
}
