#if os(Linux)
  internal import Foundation

  /// The PAM service that says how to recognise the user.
  struct PAMService: Sendable {
    /// The name of the service. No other service is used: `login` may accept less than the administrator demands here.
    var name = "sealring"
    /// Where PAM looks for service files when no folder is given.
    private static let systemFolders = ["/etc/pam.d", "/usr/lib/pam.d", "/usr/share/pam.d"]

    /// A folder that is used instead of the system's.
    let configuration: URL?

    /// The service's file, whether or not this process may read it; `nil` when the device has none. PAM's own fall-back, the service
    /// `other`, is not used.
    var file: String? {
      let folders = configuration.map { [$0.path(percentEncoded: false)] } ?? Self.systemFolders
      return folders.map { "\($0)/\(name)" }.first { path in
        var status = stat()
        // A file that cannot be examined is not absent.
        return lstat(path, &status) == 0 || ![ENOENT, ENOTDIR].contains(errno)
      }
    }

    /// Why the service in `file` cannot be used, in which case PAM itself would fall back to another one; `nil` when it can.
    static func problem(of file: String) -> String? {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return "\(file) cannot be read (\(String(cString: strerror(errno))))" }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return "\(file) is not a file"
      }
      return nil
    }

    /// The name of the user that this process runs as.
    static var currentUser: String? {
      var entry = passwd()
      var buffer = [CChar](repeating: 0, count: 16 << 10)
      var found: UnsafeMutablePointer<passwd>?
      // The real user: a set-user-ID program still works for the person who started it.
      guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
      return entry.pw_name.map { String(cString: $0) }
    }
  }
#endif
