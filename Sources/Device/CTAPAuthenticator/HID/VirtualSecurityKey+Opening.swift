#if os(Linux)
  internal import Foundation

  extension VirtualSecurityKey {
    /// Where the kernel makes devices of what programs tell it.
    package static let device = "/dev/uhid"

    /// Opens the kernel's device.
    ///
    /// - Throws: ``Failure``, which says what to do.
    package static func open(_ path: String = device) throws -> Int32 {
      let descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC)
      guard descriptor < 0 else { return descriptor }
      switch errno {
      case ENOENT, ENODEV, ENXIO:
        throw Failure(
          errorDescription:
            "There is no \(path): the kernel's module uhid is not loaded. Load it with `modprobe uhid` as root, or"
            + " name the socket of a broker with --uhid-socket.")
      case EACCES, EPERM:
        throw Failure(
          errorDescription:
            "\(path) is not yours to open. Name the socket of a broker with --uhid-socket, or let a udev rule give"
            + " the device to you; docs/linux.md says what that means.")
      default: throw failure("\(path) cannot be opened")
      }
    }

    /// Connects to a socket of whole messages (SOCK_SEQPACKET) where a broker of root's, or a program of this user's, speaks for the kernel.
    ///
    /// - Throws: ``Failure``, which says what to do.
    package static func connect(to path: String) throws -> Int32 {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw Failure(errorDescription: "The path \(path) is too long for a socket.")
      }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { throw failure("No socket can be made") }
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      guard isConnected else {
        let failure = failure("Nobody can be reached at \(path)")
        close(descriptor)
        throw failure
      }
      guard let user = peer(of: descriptor), user == 0 || user == geteuid() else {
        close(descriptor)
        throw Failure(
          errorDescription: "At \(path) is a program of another user, which would see what is signed in to.")
      }
      return descriptor
    }

    /// The user who connected, or was connected to; `nil` when the kernel does not say.
    static func peer(of descriptor: Int32) -> UInt32? {
      // Process, user and group: what SO_PEERCRED fills in, which Glibc's module leaves out.
      var credentials: (Int32, UInt32, UInt32) = (0, .max, .max)
      var length = socklen_t(MemoryLayout.size(ofValue: credentials))
      guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
      return credentials.1
    }

    static func failure(_ what: String) -> Failure {
      Failure(errorDescription: "\(what): \(String(cString: strerror(errno))).")
    }
  }
#endif
