#if os(Linux)
  internal import Foundation

  /// Where PAM is told how to recognise the user.
  struct PAMService: Sendable {
    /// The names to look for; the first that exists is used.
    private static let candidates = ["sealring", "login"]
    /// Where PAM looks for service files when no folder is given.
    private static let systemFolders = ["/etc/pam.d", "/usr/lib/pam.d", "/usr/share/pam.d"]

    /// A folder that is used instead of the system's.
    let configuration: URL?

    /// The service to use; `nil` when the device has none. PAM's own fall-back, the service `other`, is not for us.
    var name: String? {
      let folders = configuration.map { [$0.path(percentEncoded: false)] } ?? Self.systemFolders
      return Self.candidates.first { name in
        folders.contains { FileManager.default.isReadableFile(atPath: "\($0)/\(name)") }
      }
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
