import CommonFixtures
import Concurrency
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A command that is running: its output so far, its end, and ways to end it.
final class RunningCommand: Sendable {
  private struct State {
    var output = Data()
    var errors = Data()
    var openPipes = 2
    var status: Int32?
  }

  private let state = Locked(State())
  private let process: SpawnedProgram

  /// The process.
  var identifier: Int32 { process.identifier }

  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init(path: String, arguments: [String], environment: [String: String], input: String) throws {
    (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let inputPipe = try SpawnedProgram.pipe()
    let (outputPipe, errorPipe) = (try SpawnedProgram.pipe(), try SpawnedProgram.pipe())
    process = try SpawnedProgram(
      path, arguments, environment: environment, input: .descriptor(inputPipe.reading),
      output: .descriptor(outputPipe.writing), errors: .descriptor(errorPipe.writing))
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

  func send(_ signal: Int32) {
    // Another program may have its number once it has ended.
    if !hasEnded { process.send(signal) }
  }

  private func next() async -> Bool {
    for await _ in changes { return true }
    return false
  }
}

extension RunningCommand {
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
      let code = process.wait()
      state.withLock { $0.status = code }
      changed.yield()
    }
  }
}
