import Foundation

/// A listening socket on the loopback interface for servers of tests.
///
/// Whoever waits in ``accept()`` holds the listener, so its number is not given to another socket meanwhile: a server that had
/// ended took the connections of the next one.
package final class LoopbackListener: Sendable {
  /// The port, which the system chose.
  package let port: UInt16
  private let descriptor: Int32

  /// - Parameter backlog: How many connections may wait to be accepted.
  package init(backlog: Int32 = 16) throws {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw Self.lastError }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      return bind(descriptor, pointer, size) == 0 && listen(descriptor, backlog) == 0
        && getsockname(descriptor, pointer, &size) == 0
    }
    guard isListening else {
      defer { close(descriptor) }
      throw Self.lastError
    }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// Waits for the next connection; `nil` after ``stop()``. Whoever gets its descriptor closes it.
  package func accept() -> Int32? {
    let connection = Foundation.accept(descriptor, nil, nil)
    return connection >= 0 ? connection : nil
  }

  /// A connection that says nothing. Whoever gets its descriptor closes it.
  package static func connection(to port: UInt16) -> Int32 {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    _ = withUnsafeBytes(of: &address) {
      connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
    }
    return descriptor
  }

  /// Ends every wait and refuses new connections.
  package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
