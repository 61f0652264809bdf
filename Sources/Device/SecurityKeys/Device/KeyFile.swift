#if os(Linux)
  internal import Foundation
  internal import PrivateFiles

  /// Opens the file or socket of a security key.
  enum KeyFile {
    /// - Parameter path: A device file of hidraw, or a socket that keeps messages whole and acts as one.
    /// - Throws: ``SecurityKeyError``, which says what to do.
    static func open(_ path: String) throws(SecurityKeyError) -> Int32 {
      var facts = stat()
      guard stat(path, &facts) == 0 else { throw failure(path) }
      switch facts.st_mode & S_IFMT {
      case S_IFSOCK:
        do throws(MessageSocket.Failure) { return try MessageSocket.connect(to: path) } catch {
          throw .unusable(error.errorDescription ?? "")
        }
      case S_IFCHR:
        let descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(path) }
        return descriptor
      default: throw .unusable("\(path) is neither a device nor a socket.")
      }
    }

    private static func failure(_ path: String) -> SecurityKeyError {
      switch errno {
      case EACCES, EPERM: .notPermitted(path: path)
      case ENOENT, ENODEV, ENXIO:
        .unusable("There is no security key at \(path). Another one has another path.")
      default: .unusable("\(path) cannot be opened: \(String(cString: strerror(errno))).")
      }
    }
  }
#endif
