internal import Concurrency
internal import Foundation
internal import RuntimeLibraries

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The worker: a process that runs scripts for the server, one after the other, each in a fresh context.
///
/// It is the same program as the server, started with ``argument``, so that one file is deployed. It talks to the server over its
/// standard input, which is a socket, and has nothing else.
public enum ScriptWorkerProgram {
  /// The argument that makes the program a worker.
  public static let argument = "script-worker"

  /// The program that runs now: of the same version, also when its file was replaced meanwhile.
  public static var ownPath: String? {
    #if os(Linux)
      "/proc/self/exe"
    #else
      Bundle.main.executablePath
    #endif
  }

  /// Becomes a worker if the command line asks for it; call this first of all.
  public static func runIfAsked() {
    guard CommandLine.arguments.dropFirst().elementsEqual([argument]) else { return }
    exit(run())
  }

  /// The environment variable in which the server puts the seconds of processor time that a script has.
  static let timeVariable = "SEALRING_SCRIPT_SECONDS"

  /// The longest message that a worker reads, in bytes.
  private static let messageLimit = 64 << 20

  private static let channel: Int32 = 0

  /// The engine, for the callback, which can capture nothing.
  private static let engine: Result<JavaScriptCore, RuntimeLibraryError> = {
    do throws(RuntimeLibraryError) { return .success(try JavaScriptCore()) } catch { return .failure(error) }
  }()

  /// Whether the time limit ended the entry into the engine.
  private static let isTimeUp = Locked(false)

  private static func run() -> Int32 {
    guard Confinement.isSocket(channel) else {
      let text = "script-worker is for the server, which starts its workers itself.\n"
      FileHandle.standardError.write(Data(text.utf8))
      return 64
    }
    guard Confinement.begin() else { return 1 }
    let engine: JavaScriptCore
    do throws(RuntimeLibraryError) { engine = try Self.engine.get() } catch {
      _ = send(ScriptMessage(.unable, "\(error.title) is not there: install \(error.installation)".utf8))
      return 1
    }
    let seconds = getenv(timeVariable).flatMap { Double(String(cString: $0)) } ?? 0.2
    guard let group = engine.makeGroup() else { return 1 }
    // The prelude and what it does with a result have their own time, which the server bounds together with the script's.
    engine.setTimeLimit(group, seconds, endEntry, nil)
    guard let first = PreparedContext(engine, group: group, host: host, tell: tell) else { return 1 }
    // Runs a script once, so that the engine has its threads and tables before the worker gives up its rights.
    _ = first.evaluate(Array("new Date(0).toLocaleString(); /a+/u.test('a'); [1].map((x) => `${x}`)".utf8))
    first.collectGarbage()
    first.release()
    guard Confinement.closeDoors() else {
      _ = send(ScriptMessage(.unable, "the worker could not give up its rights".utf8))
      return 1
    }
    guard send(ScriptMessage(.ready)) else { return 0 }
    while let context = PreparedContext(engine, group: group, host: host, tell: tell) {
      defer { context.release() }
      waitCollecting(context)
      guard let message = receive(), message.kind == .run else { return 0 }
      guard send(answer(message.text, in: context)) else { return 0 }
    }
    return 1
  }

  /// Waits for the next run; collects the garbage of earlier ones when none comes for a while.
  private static func waitCollecting(_ context: PreparedContext) {
    var descriptor = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
    if poll(&descriptor, 1, 200) == 0 { context.collectGarbage() }
  }

  private static func answer(_ run: [UInt8], in context: PreparedContext) -> ScriptMessage {
    isTimeUp.withLock { $0 = false }
    guard case .text(let source) = context.call("begin", run) else {
      return ScriptMessage(.failed, #"{"error":"the worker could not take the script"}"#.utf8)
    }
    var ending = context.evaluate(source)
    if case .value(let value) = ending { ending = context.call("finish", value: value) }
    if isTimeUp.withLock({ $0 }) {
      isTimeUp.withLock { $0 = false }
      return ScriptMessage(.timeIsUp)
    }
    switch ending {
    case .text(let result): return ScriptMessage(.done, result)
    case .thrown(let thrown):
      if case .text(let report) = context.report(thrown) { return ScriptMessage(.failed, report) }
      return ScriptMessage(.failed, #"{"error":"the script threw a value that has no text"}"#.utf8)
    case .value, .nothing:
      return ScriptMessage(.failed, #"{"error":"the script ended without a result"}"#.utf8)
    }
  }

  private static let endEntry: JavaScriptCore.ShouldTerminate = { _, _ in
    ScriptWorkerProgram.isTimeUp.withLock { $0 = true }
    return true
  }

  /// What the prelude's `host` does: one call to the server and its answer.
  private static let host: JavaScriptCore.Function = { context, _, _, count, arguments, thrown in
    guard case .success(let engine) = ScriptWorkerProgram.engine else { return nil }
    guard count == 1, let text = engine.text(of: arguments?[0], in: context) else { return nil }
    // Without the server there is nobody to run scripts for.
    guard ScriptWorkerProgram.send(ScriptMessage(.call, text)), let answer = ScriptWorkerProgram.receive()
    else { exit(0) }
    let value = engine.withString(answer.text) { engine.valueOf(context, $0) }
    if answer.kind == .answer { return value }
    thrown?.pointee = engine.makeError(context, 1, [value], nil)
    return nil
  }

  /// What the prelude's `tell` does: one line of the log for the server.
  private static let tell: JavaScriptCore.Function = { context, _, _, count, arguments, _ in
    guard case .success(let engine) = ScriptWorkerProgram.engine else { return nil }
    guard count == 1, let text = engine.text(of: arguments?[0], in: context) else { return nil }
    guard ScriptWorkerProgram.send(ScriptMessage(.log, text)) else { exit(0) }
    return nil
  }

  // MARK: The socket

  private static func send(_ message: ScriptMessage) -> Bool {
    var rest = message.bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(channel, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func receive() -> ScriptMessage? {
    guard let first = bytes(ScriptMessage.headerCount), let (kind, count) = ScriptMessage.header(first),
      count <= messageLimit, let text = bytes(count)
    else { return nil }
    return ScriptMessage(kind, text)
  }

  private static func bytes(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        read(channel, buffer.baseAddress.map { $0 + filled }, count - filled)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      filled += got
    }
    return bytes
  }
}
