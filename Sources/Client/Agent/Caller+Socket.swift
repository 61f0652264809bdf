#if os(Linux)
  internal import Foundation

  extension Caller {
    /// The process at the other end; `nil` when the kernel does not say.
    package init?(connection: Int32) {
      // The structure of SO_PEERCRED, which Glibc's module leaves out.
      var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
      var length = socklen_t(MemoryLayout.size(ofValue: credentials))
      guard getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0,
        length == MemoryLayout.size(ofValue: credentials)
      else { return nil }
      self.init(
        user: credentials.user, process: credentials.process,
        executable: Self.executable(of: credentials.process),
        terminal: Self.terminal(of: credentials.process))
    }

    static func executable(of process: Int32) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    }

    /// The terminal from the 7th field of `/proc/PID/stat` (proc(5)); the second field may hold blanks and brackets.
    private static func terminal(of process: Int32) -> String? {
      guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let name = line.lastIndex(of: ")")
      else { return nil }
      let fields = line[name...].split(separator: " ")
      // Unix 98 pseudo-terminals have the major numbers 136 to 143; the minor number has bits 0 to 7 and 20 to 31.
      guard fields.count > 5, let device = UInt32(fields[5]), (136...143).contains(device >> 8 & 0xFFF) else {
        return nil
      }
      let minor = device & 0xFF | device >> 12 & 0xFFF00
      return "/dev/pts/\(((device >> 8 & 0xFFF) - 136) << 20 | minor)"
    }
  }

  /// Tells whether the process that made a connection is still the same program. Its child processes do not count.
  struct CallerWatch {
    /// Readable when the process has ended (pidfd_open(2)).
    let descriptor: Int32
    private let caller: Caller

    /// `nil` when the process has ended already, or cannot be watched.
    init?(_ caller: Caller) {
      // pidfd_open has this number on all processors. `syscall` takes a variable number of arguments, which Swift does not import.
      typealias Call = @convention(c) (Int, Int, UInt) -> Int
      guard let symbol = dlsym(nil, "syscall") else { return nil }
      let descriptor = unsafeBitCast(symbol, to: Call.self)(434, Int(caller.process), 0)
      guard descriptor >= 0 else { return nil }
      self.descriptor = Int32(descriptor)
      self.caller = caller
      guard isSame else {
        end()
        return nil
      }
    }

    /// Whether the process still runs, and has not become another program.
    var isSame: Bool {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, 0) == 0 && Caller.executable(of: caller.process) == caller.executable
    }

    func end() { close(descriptor) }
  }
#endif
