internal import Foundation
internal import RuntimeLibraries

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A worker's process, as the server sees it: a number, a socket, and what it uses.
///
/// The thread that starts a process must outlive it: the kernel ends the process with that thread.
struct ScriptProcess {
  let id: pid_t
  private let socket: Int32

  /// Bytes that came after the last whole message.
  private var buffer: [UInt8] = []

  /// What the process had in memory when it was ready, bytes.
  private var ownMemory = 0

  /// What the process has used up to the run that it is doing, nanoseconds of processor time.
  private var usedBefore: UInt64 = 0

  /// - Parameters:
  ///   - program: the path of this server's program.
  ///   - time: what a script may compute.
  init(program: String, time: Duration) throws(ScriptError) {
    var ends: [Int32] = [0, 0]
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw ScriptError(.unavailable, "no socket for a script worker: \(String(cString: strerror(errno)))")
    }
    defer { close(ends[1]) }
    #if canImport(Darwin)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      var on: Int32 = 1
      setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    do {
      // Without the compiler the engine needs less memory, and no memory is both writable and executable. A session of its own: the
      // terminal's signals are for the server.
      id = try SpawnedProgram(
        program, [ScriptWorkerProgram.argument], name: "sealring",
        environment: [
          ScriptWorkerProgram.timeVariable: "\(Double(time.milliseconds) / 1000)", "JSC_useJIT": "0",
          "SWIFT_BACKTRACE": "enable=no",
        ], input: .descriptor(ends[1]), output: .nothing, errors: .output, leadsSession: true, inherits: true
      ).identifier
    } catch {
      close(ends[0])
      throw ScriptError(.unavailable, "no script worker: \(error)")
    }
    socket = ends[0]
  }

  /// Ends the process, and forgets it. To be called once.
  func end() {
    kill(id, SIGKILL)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    close(socket)
  }

  // MARK: What it uses

  /// The process is ready for its first run: its present memory is its own, not a script's.
  mutating func noteReady() { ownMemory = memory ?? 0 }

  /// Whether more than half of what `limit` leaves for scripts is in use, bytes.
  func hasFilledHalf(of limit: Int) -> Bool {
    (memory ?? 0) > ownMemory + max(0, limit - ownMemory) / 2
  }

  /// A run begins: time counts from here.
  mutating func begin() { usedBefore = processorTime ?? 0 }

  /// Processor time since ``begin()``; `nil` where it cannot be read.
  var computed: Duration? { processorTime.map { .nanoseconds(Int64($0 - min($0, usedBefore))) } }

  private var processorTime: UInt64? {
    #if canImport(Glibc)
      var clock = clockid_t()
      var time = timespec()
      guard clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    #else
      return nil
    #endif
  }

  /// Resident bytes; `nil` where they cannot be read.
  var memory: Int? {
    #if os(Linux)
      let file = open("/proc/\(id)/statm", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: 128)
      let count = read(file, &bytes, bytes.count)
      guard count > 0 else { return nil }
      let fields = bytes[..<count].split(separator: UInt8(ascii: " "))
      guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else { return nil }
      return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    #else
      return nil
    #endif
  }

  // MARK: What it says

  /// Waits for something to read.
  ///
  /// - Returns: whether there is something to read, the socket's end included, or a whole message that came with the last read.
  func waits(for time: Duration) -> Bool {
    ScriptMessage.isWhole(in: buffer) || wait(Int16(POLLIN), time)
  }

  /// Whether there is nothing to read, and the process has not ended, as with an idle worker.
  var isQuiet: Bool { buffer.isEmpty && !wait(Int16(POLLIN), .zero) && !hasEnded }

  /// Asks the system, because another program that was being started may still hold the socket's other end for a moment.
  private var hasEnded: Bool {
    var information = siginfo_t()
    guard waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
    return information.si_signo != 0
  }

  private func wait(_ events: Int16, _ time: Duration) -> Bool {
    var descriptor = pollfd(fd: socket, events: events, revents: 0)
    return poll(&descriptor, 1, Int32(clamping: max(0, time.milliseconds))) > 0
  }

  /// Sends a message; a worker that accepts none within `time` counts as dead.
  func send(_ message: ScriptMessage, within time: Duration) throws(ScriptError) {
    var rest = message.bytes[...]
    let end = ContinuousClock.now + time
    while !rest.isEmpty {
      #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
      #else
        let flags: Int32 = 0
      #endif
      let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, flags) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EINTR {
        guard ContinuousClock.now < end else { throw Self.died }
        _ = wait(Int16(POLLOUT), .milliseconds(20))
      } else {
        throw Self.died
      }
    }
  }

  /// Reads what is available.
  ///
  /// - Returns: a message, if one is complete.
  mutating func receive(limit: Int) throws(ScriptError) -> ScriptMessage? {
    if let message = try ScriptMessage.take(from: &buffer, limit: limit) { return message }
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = read(socket, &bytes, bytes.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    guard count > 0 else { throw Self.died }
    buffer += bytes[..<count]
    return try ScriptMessage.take(from: &buffer, limit: limit)
  }

  private static let died = ScriptError(.worker, "the script's worker died")
}

extension Duration {
  /// Whole milliseconds, rounded down.
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
