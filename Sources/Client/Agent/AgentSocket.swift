#if os(Linux)
  package import Foundation
  internal import PrivateFiles

  /// The socket on which the agent listens.
  package struct AgentSocket: Sendable {
    /// The socket's path, where programs find it.
    package let file: URL
    package let descriptor: Int32

    /// The socket for `ssh`: `$XDG_RUNTIME_DIR/sealring/ssh-agent.socket`; `nil` without that variable.
    package static func standardFile(_ environment: [String: String]) -> URL? {
      guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
      return URL(filePath: folder, directoryHint: .isDirectory).appending(path: "sealring/ssh-agent.socket")
    }

    /// The socket of the same agent for the commands that control it. There is one agent per folder.
    package static func control(beside file: URL) -> URL {
      file.deletingLastPathComponent().appending(path: "control.socket")
    }

    /// The socket that systemd passes to this process (sd_listen_fds(3)); `nil` when it passes none.
    ///
    /// - Throws: ``AgentError`` when there are several, or it is not a listening Unix socket.
    package static func passed(_ environment: [String: String]) throws -> AgentSocket? {
      guard environment["LISTEN_PID"] == String(getpid()), let count = environment["LISTEN_FDS"] else {
        return nil
      }
      let descriptor: Int32 = 3
      var (listens, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      guard count == "1", getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0,
        listens != 0, let path = Self.path(of: descriptor), path.hasPrefix("/")
      else {
        throw AgentError(
          "systemd did not pass exactly one listening Unix socket. Correct the socket unit's ListenStream."
        )
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return AgentSocket(file: URL(filePath: path), descriptor: descriptor)
    }

    private static func path(of descriptor: Int32) -> String? {
      var address = sockaddr_un()
      var length = socklen_t(MemoryLayout<sockaddr_un>.size)
      let isNamed = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
      }
      guard isNamed, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
      return withUnsafeBytes(of: address.sun_path) {
        String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
    }

    /// Makes the socket's folder for its owner alone (0700). An existing folder may belong to others as well, such as `/run`, and keeps its
    /// mode.
    private static func prepare(_ folder: URL) throws {
      do { try ProtectedFiles.createFolder(folder, tightening: false) } catch .unprotected(
        let path, let reason)
      {
        throw AgentError(
          "The socket cannot be in \(path): \(reason). Name a folder of your own with --socket; it is made when it is not there."
        )
      }
    }

    /// Listens at `file`, on a socket of mode 0600.
    ///
    /// - Throws: ``AgentError`` when another agent listens there, others may write to the folder, or the path is too long;
    ///   `FileStorageError` when there is no folder and none can be made.
    package static func listen(at file: URL) throws -> AgentSocket {
      try prepare(file.deletingLastPathComponent())
      // Held until the process ends: its holder may remove a socket that was left behind.
      let lock = open(file.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard lock >= 0 else { throw failure("Cannot write \(file.path).lock") }
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
        close(lock)
        throw AgentError("An agent listens at \(file.path) already. Use it, or end it first.")
      }
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { throw failure("No socket can be made") }
      let isBound = withAddress(of: file.path) { address, length in
        unlink(file.path)
        return bind(descriptor, address, length)
      }
      guard let isBound else {
        throw AgentError(
          "The path \(file.path) is too long for a socket. Choose a shorter one with --socket.")
      }
      guard isBound, chmod(file.path, 0o600) == 0, Glibc.listen(descriptor, 64) == 0 else {
        throw failure("Cannot listen at \(file.path)")
      }
      return AgentSocket(file: file, descriptor: descriptor)
    }

    /// Calls `call` with the address of a path. Returns whether the system call succeeds; `nil` when the path is too long.
    static func withAddress(
      of path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Bool? {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          call($0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
    }

    private static func failure(_ what: String) -> AgentError {
      AgentError(
        "\(what): \(String(cString: strerror(errno))). Check the folder, or name another with --socket.")
    }
  }

  extension AgentSocket {
    /// Waits for a connection; `nil` when none comes in time, or the socket accepts no more. The caller closes the descriptor.
    ///
    /// - Parameter limit: The longest wait in seconds; `nil` for no limit.
    package func connection(within limit: Int32? = nil) -> Int32? {
      while true {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&waiting, 1, limit.map { $0 * 1000 } ?? -1)
        if ready < 0, errno == EINTR { continue }
        guard ready > 0 else { return nil }
        let connection = Foundation.accept(descriptor, nil, nil)
        guard connection < 0 else {
          _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
          return connection
        }
        switch errno {
        case EINTR, ECONNABORTED: continue
        // No descriptor is free until a connection ends.
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: poll(nil, 0, 100)
        default: return nil
        }
      }
    }
  }
#endif
