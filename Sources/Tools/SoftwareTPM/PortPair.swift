internal import Concurrency
internal import Foundation

/// Two adjacent ports of the loopback address, as tpm2-tss requires: the second is swtpm's control channel.
///
/// swtpm binds the ports itself, so they cannot be reserved for it. They are below the system's range of dynamic ports, and a
/// locked file keeps other chips, even in other processes, from choosing the same ones.
package final class PortPair: Sendable {
  package let first: UInt16
  var second: UInt16 { first + 1 }
  /// The locked file; -1 when it is released.
  private let file: Locked<Int32>

  private static let range: Range<UInt16> = 20_000..<32_000

  /// Reserves a free pair.
  package init() throws {
    let folder = "/tmp/sealring-tpm-ports-\(geteuid())"
    mkdir(folder, 0o700)
    for _ in 1...200 {
      let port = UInt16.random(in: Self.range) & ~1
      let file = open("\(folder)/\(port)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { break }
      if flock(file, LOCK_EX | LOCK_NB) == 0, Self.isFree(port), Self.isFree(port + 1) {
        first = port
        self.file = Locked(file)
        return
      }
      close(file)
    }
    throw SoftwareTPMError(
      "There are no two free ports from \(Self.range.lowerBound) to \(Self.range.upperBound), or \(folder) cannot be"
        + " written. End other TPMs in software, or remove that folder.")
  }

  /// Releases the ports for others.
  package func release() {
    file.withLock { file in
      if file >= 0 { close(file) }
      file = -1
    }
  }

  /// Whether a TPM answers on the control port within ten seconds, while its process runs.
  func answer(while isRunning: @escaping @Sendable () -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [second] in
        let deadline = ContinuousClock.now + .seconds(10)
        while isRunning(), ContinuousClock.now < deadline {
          if let answer = Self.capabilities(port: second) {
            continuation.resume(returning: answer)
            return
          }
          usleep(5_000)
        }
        continuation.resume(returning: false)
      }
    }
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let socket = Foundation.socket(AF_INET, streamType, 0)
    guard socket >= 0 else { return false }
    defer { close(socket) }
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    return withLoopback(port) { bind(socket, $0, $1) } == 0
  }

  /// Sends CMD_GET_CAPABILITY (swtpm_ioctls(3)), with a time limit, which tpm2-tss lacks: `true` for a TPM's answer, `false` for another
  /// answer or none, `nil` when nothing listens.
  private static func capabilities(port: UInt16) -> Bool? {
    let socket = Foundation.socket(AF_INET, streamType, 0)
    guard socket >= 0 else { return nil }
    defer { close(socket) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard withLoopback(port, { connect(socket, $0, $1) }) == 0 else { return nil }
    let command: [UInt8] = [0, 0, 0, 1]
    guard send(socket, command, command.count, Int32(MSG_NOSIGNAL)) == command.count else { return false }
    var answer = [UInt8](repeating: 0, count: 64)
    return recv(socket, &answer, answer.count, 0) >= 8
  }

  private static func withLoopback<Result>(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static var streamType: Int32 {
    #if canImport(Glibc)
      Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
      SOCK_STREAM
    #endif
  }
}
