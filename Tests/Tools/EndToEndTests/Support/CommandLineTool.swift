import Foundation
import Locking
import StrictJSON
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the `sealring` binary that was built with these tests.
struct CommandLineTool {
  /// What a finished command left.
  struct Result {
    let status: Int32
    let output: String
    let errors: String

    var json: JSONValue {
      get throws { try JSONValue(parsing: output.trimmingCharacters(in: .newlines)) }
    }
  }

  /// The device's state folder of this test; other folders are other devices.
  let home: URL

  var environment: [String: String] = [:]

  private static var binary: URL {
    // The test bundle lies beside the executables of the same build.
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "sealring")
  }

  private func makeProcess(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = Self.binary
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["SEALRING_HOME"] = home.path(percentEncoded: false)
    environment.merge(self.environment) { $1 }
    process.environment = environment
    return process
  }

  /// Runs a command to its end.
  func run(_ arguments: [String], input: String = "") async throws -> Result {
    let command = try start(arguments, input: input)
    return await command.finish()
  }

  /// Starts a command that the test will talk to or end.
  func start(_ arguments: [String], input: String = "") throws -> RunningCommand {
    try RunningCommand(makeProcess(arguments), input: input)
  }
}

/// A command that is running: its output so far, its end, and ways to end it.
final class RunningCommand: Sendable {
  private struct State {
    var output = Data()
    var errors = Data()
    var openPipes = 2
    var status: Int32?
  }

  private let state = Locked(State())
  private let process: Process
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init(_ process: Process, input: String) throws {
    self.process = process
    (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (inputPipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
    process.standardInput = inputPipe
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    process.terminationHandler = { [state, changed] process in
      let status =
        process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
      state.withLock { $0.status = status }
      changed.yield()
    }
    try process.run()
    read(outputPipe.fileHandleForReading) { $0.output += $1 }
    read(errorPipe.fileHandleForReading) { $0.errors += $1 }
    inputPipe.fileHandleForWriting.write(Data(input.utf8))
    try inputPipe.fileHandleForWriting.close()
  }

  /// Reads to the end on a thread of its own. Foundation's `readabilityHandler` leaves its event source behind when the
  /// pipe is closed, which now and then ends the whole test process.
  private func read(_ handle: FileHandle, append: @escaping @Sendable (inout State, Data) -> Void) {
    Thread.detachNewThread { [state, changed] in
      while case let data = handle.availableData, !data.isEmpty {
        state.withLock { append(&$0, data) }
        changed.yield()
      }
      state.withLock { $0.openPipes -= 1 }
      changed.yield()
    }
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

  /// Waits for the end; the exit code is 128 plus the signal when one ended it.
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

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  private func next() async -> Bool {
    for await _ in changes { return true }
    return false
  }
}

/// A folder that lives as long as `body`.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sealring-tests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}
