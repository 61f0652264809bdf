#if os(Linux)
  internal import Foundation
  internal import PrivateFiles

  extension VirtualSecurityKey {
    /// The kernel's interface through which programs make HID devices.
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

    /// Connects to a socket that keeps messages whole (SOCK_SEQPACKET). Behind it, root's broker or a program of this user acts as the
    /// kernel.
    ///
    /// - Throws: ``Failure``, which says what to do.
    package static func connect(to path: String) throws -> Int32 {
      do throws(MessageSocket.Failure) { return try MessageSocket.connect(to: path) } catch {
        throw Failure(errorDescription: error.errorDescription)
      }
    }

    static func failure(_ what: String) -> Failure {
      Failure(errorDescription: "\(what): \(String(cString: strerror(errno))).")
    }
  }
#endif
