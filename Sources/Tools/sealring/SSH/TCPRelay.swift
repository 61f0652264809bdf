import Concurrency
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Relays both directions of a TCP connection independently, until both have ended.
struct TCPRelay: Sendable {
  /// The longest time to try one address, in milliseconds.
  private static let patience: Int32 = 30_000
  private static let bufferBytes = 64 << 10

  private let connection: Int32

  /// - Parameter connection: A connected socket, which is closed when the relay ends.
  init(connection: Int32) { self.connection = connection }

  /// Connects to the first address of a host that answers.
  static func connect(to host: String, port: UInt16) async throws -> TCPRelay {
    try await onOwnThread { try TCPRelay(connection: connected(to: host, port: port)) }
  }

  /// Relays both directions. When one direction ends, its end is passed on, and the other continues.
  func run(input: Int32, output: Int32) async throws {
    defer { close(connection) }
    async let outward: Void = onOwnThread {
      Self.pass(from: input, to: connection)
      shutdown(connection, Int32(SHUT_WR))
    }
    try await onOwnThread {
      Self.pass(from: connection, to: output)
      // The reader or the server is gone; ssh notices that only when its input ends.
      shutdown(connection, Int32(SHUT_RD))
      close(output)
    }
    try await outward
  }

  private static func pass(from source: Int32, to target: Int32) {
    var buffer = [UInt8](repeating: 0, count: bufferBytes)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      var rest = buffer[..<count]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
      }
    }
  }

  private static func connected(to host: String, port: UInt16) throws -> Int32 {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else {
      throw CommandFailure.unreachable("There is no host \(host): \(String(cString: gai_strerror(code))).")
    }
    defer { freeaddrinfo(list) }
    var reason = "it has no address"
    var next = list
    while let address = next?.pointee {
      let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
      if descriptor >= 0 {
        guard let problem = problem(connecting: descriptor, to: address) else { return descriptor }
        reason = problem
        close(descriptor)
      }
      next = address.ai_next
    }
    throw CommandFailure.unreachable("\(host) cannot be reached at port \(port): \(reason).")
  }

  /// Why the connection failed; `nil` when it succeeded.
  private static func problem(connecting descriptor: Int32, to address: addrinfo) -> String? {
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    var error: Int32 = 0
    if Foundation.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
      error = errno
      if error == EINPROGRESS {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var size = socklen_t(MemoryLayout<Int32>.size)
        if poll(&waiting, 1, patience) <= 0 {
          error = ETIMEDOUT
        } else {
          getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        }
      }
    }
    _ = fcntl(descriptor, F_SETFL, flags)
    // Keystrokes are sent at once, as ssh does.
    var isOn: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    return error == 0 ? nil : String(cString: strerror(error))
  }
}
