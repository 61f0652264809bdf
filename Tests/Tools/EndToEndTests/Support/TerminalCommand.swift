import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A command on a pseudo-terminal of its own, which the test reads and types on.
final class TerminalCommand: Sendable {
  private let keyboard: Int32
  private let process: pid_t

  /// - Parameter size: columns and rows.
  init(_ tool: CommandLineTool, _ arguments: [String], size: (columns: UInt16, rows: UInt16) = (80, 24))
    throws
  {
    keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (locked, number): (Int32, Int32) = (0, 0)
    // TIOCSPTLCK and TIOCGPTN.
    let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    guard keyboard >= 0, ioctl(keyboard, setLock, &locked) == 0, ioctl(keyboard, getNumber, &number) == 0
    else { throw POSIXError(.ENODEV) }
    var window = winsize(ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(keyboard, UInt(TIOCSWINSZ), &window)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens is its own.
    for descriptor in [Int32(0), 1, 2] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/pts/\(number)", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // POSIX_SPAWN_SETSID.
    posix_spawnattr_setflags(&attributes, 0x80 | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var environment = ProcessInfo.processInfo.environment
    environment["SEALRING_HOME"] = tool.home.path(percentEncoded: false)
    environment.merge(tool.environment) { $1 }
    let path = CommandLineTool.binary.path(percentEncoded: false)
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    // A listening socket that it inherited would keep its port from the next server.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      if let other = Int32(name), other > 2 { posix_spawn_file_actions_addclose(&actions, other) }
    }
    var process: pid_t = 0
    let result = posix_spawn(&process, path, &actions, &attributes, argv, envp)
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
    self.process = process
  }

  deinit { close(keyboard) }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(keyboard, bytes, bytes.count)
  }

  /// What is shown, up to and with `end`, or to the command's end.
  func read(until end: String) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [keyboard] in
        var shown: [UInt8] = []
        var byte: UInt8 = 0
        while !String(decoding: shown, as: UTF8.self).hasSuffix(end), Foundation.read(keyboard, &byte, 1) == 1
        {
          shown.append(byte)
        }
        continuation.resume(
          returning: String(decoding: shown, as: UTF8.self).replacingOccurrences(of: "\r", with: ""))
      }
    }
  }

  /// The rest of what is shown, and the exit code.
  func finish() async -> (status: Int32, shown: String) {
    let shown = await read(until: "\u{0}")
    let status = await withCheckedContinuation { continuation in
      Thread.detachNewThread { [process] in
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        continuation.resume(returning: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
      }
    }
    return (status, shown)
  }
}
