import Concurrency
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A command that is running: its output so far, its end, and ways to end it.
///
/// Spawned and waited for directly: Foundation's `Process` now and then misses the end of one among many.
final class RunningCommand: Sendable {
  private struct State {
    var output = Data()
    var errors = Data()
    var openPipes = 2
    var status: Int32?
  }

  private let state = Locked(State())
  private let process: pid_t
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init(path: String, arguments: [String], environment: [String: String], input: String) throws {
    (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (inputPipe, outputPipe, errorPipe) = (try PipeEnds(), try PipeEnds(), try PipeEnds())
    process = try Self.spawn(
      path, arguments, environment, streams: [inputPipe.reading, outputPipe.writing, errorPipe.writing])
    for descriptor in [inputPipe.reading, outputPipe.writing, errorPipe.writing] { close(descriptor) }
    read(outputPipe.reading) { $0.output += $1 }
    read(errorPipe.reading) { $0.errors += $1 }
    waitForEnd()
    let stream = FileHandle(fileDescriptor: inputPipe.writing, closeOnDealloc: true)
    // A command that ends without reading its input is not a failure.
    signal(SIGPIPE, SIG_IGN)
    try? stream.write(contentsOf: Data(input.utf8))
    try stream.close()
  }

  /// Waits until the output holds a whole line that starts with `prefix`; `nil` when the command ended without it.
  func line(startingWith prefix: String) async -> String? {
    repeat {
      let (text, ended) = state.withLock { (String(decoding: $0.output, as: UTF8.self), $0.openPipes == 0) }
      let whole = text.components(separatedBy: "\n").dropLast()
      if let line = whole.first(where: { $0.hasPrefix(prefix) }) { return line }
      if ended { return nil }
    } while await next()
    return nil
  }

  /// Waits until what the command said on standard error matches; `nil` when the command ended without it.
  func remark<Output>(_ pattern: Regex<Output>) async -> Output? {
    repeat {
      let (text, ended) = state.withLock { (String(decoding: $0.errors, as: UTF8.self), $0.openPipes == 0) }
      if let match = text.firstMatch(of: pattern) { return match.output }
      if ended { return nil }
    } while await next()
    return nil
  }

  /// Waits for the end.
  func finish() async -> CommandLineTool.Result {
    while true {
      let finished = state.withLock { state in
        state.openPipes == 0 ? state.status.map { (state.output, state.errors, $0) } : nil
      }
      if let (output, errors, status) = finished {
        return CommandLineTool.Result(
          status: status, output: String(decoding: output, as: UTF8.self),
          errors: String(decoding: errors, as: UTF8.self))
      }
      _ = await next()
    }
  }

  /// Whether the process is gone.
  var hasEnded: Bool { state.withLock { $0.status != nil } }

  func send(_ signal: Int32) { kill(process, signal) }

  private func next() async -> Bool {
    for await _ in changes { return true }
    return false
  }
}

extension RunningCommand {
  private struct PipeEnds {
    let reading: Int32
    let writing: Int32

    init() throws {
      (reading, writing) = try RunningCommand.spawning.withLock {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        // Only the command that they are made for may hold them open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
      }
    }
  }

  /// No process is spawned while a pipe is made: it would inherit the pipe before its flag is set.
  private static let spawning = NSLock()

  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String], streams: [Int32]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, stream) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream, Int32(target))
    }
    // A command starts with all signals as they are by default; the thread that spawns it blocks some.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    // A listening socket that it inherited would keep its port from the next server.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      if let other = Int32(name), other > 2 { posix_spawn_file_actions_addclose(&actions, other) }
    }
    var process: pid_t = 0
    let result = spawning.withLock { posix_spawn(&process, path, &actions, &attributes, argv, envp) }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
    return process
  }

  private func read(_ descriptor: Int32, append: @escaping @Sendable (inout State, Data) -> Void) {
    Thread.detachNewThread { [state, changed] in
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      // Unlike `read(upToCount:)` this returns what is there, not only whole buffers.
      while case let data = handle.availableData, !data.isEmpty {
        state.withLock { append(&$0, data) }
        changed.yield()
      }
      state.withLock { $0.openPipes -= 1 }
      changed.yield()
    }
  }

  private func waitForEnd() {
    Thread.detachNewThread { [state, changed, process] in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      let code = signal == 0 ? status >> 8 & 0xFF : 128 + signal
      state.withLock { $0.status = code }
      changed.yield()
    }
  }
}
