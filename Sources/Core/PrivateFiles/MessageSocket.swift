#if os(Linux)
  internal import Foundation

  /// Unix sockets that carry whole messages (SOCK_SEQPACKET), so that reports stay apart as on a device.
  package enum MessageSocket {
    /// Why there is no connection; the text says what failed.
    package struct Failure: LocalizedError, Hashable {
      package let errorDescription: String?

      init(_ reason: String) { errorDescription = reason }

      static func system(_ what: String) -> Failure {
        Failure("\(what): \(String(cString: strerror(errno))).")
      }
    }

    /// Connects to a program of root or of this user. Another user's program would see what passes.
    package static func connect(to path: String) throws(Failure) -> Int32 {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw Failure("The path \(path) is too long for a socket.")
      }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { throw .system("No socket can be made") }
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      guard isConnected else {
        let failure = Failure.system("Cannot connect to \(path)")
        close(descriptor)
        throw failure
      }
      guard let user = peer(of: descriptor), user == 0 || user == geteuid() else {
        close(descriptor)
        throw Failure("The program at \(path) belongs to another user, who would see what you sign in to.")
      }
      return descriptor
    }

    /// The user at the other end of the socket; `nil` when the kernel does not say.
    package static func peer(of descriptor: Int32) -> UInt32? {
      // Process, user and group: what SO_PEERCRED fills in, which Glibc's module leaves out.
      var credentials: (Int32, UInt32, UInt32) = (0, .max, .max)
      var length = socklen_t(MemoryLayout.size(ofValue: credentials))
      guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
      return credentials.1
    }
  }
#endif
