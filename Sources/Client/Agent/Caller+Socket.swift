#if os(Linux)
  internal import Foundation

  /// What SO_PEERCRED fills in, which Glibc's module leaves out.
  private struct PeerCredentials {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
  }

  extension Caller {
    /// The process that connected; `nil` when the kernel does not say.
    init?(connection: Int32) {
      var credentials = PeerCredentials()
      var length = socklen_t(MemoryLayout<PeerCredentials>.size)
      guard getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0,
        length == MemoryLayout<PeerCredentials>.size
      else { return nil }
      self.init(
        user: credentials.user, process: credentials.process,
        executable: Self.executable(of: credentials.process))
    }

    private static func executable(of process: Int32) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    }
  }
#endif
