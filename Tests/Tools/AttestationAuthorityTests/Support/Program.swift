import CommonFixtures
import Foundation

/// A program beside the test. What it says goes to a file.
final class Program {
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  private let program: SpawnedProgram
  private var code: Int32?

  /// - Parameter log: takes the program's output.
  init(_ words: [String], environment: [String: String] = [:], log: URL) throws {
    program = try SpawnedProgram(
      words[0], Array(words.dropFirst()), environment: SpawnedProgram.environment(environment),
      output: .file(log), errors: .output)
  }

  deinit { end() }

  /// Runs to the end; throws what the program said when it failed.
  static func run(_ words: [String], environment: [String: String] = [:], log: URL) throws {
    guard try Program(words, environment: environment, log: log).wait() == 0 else {
      let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      throw Failed(description: "\(words.joined(separator: " ")): \(said)")
    }
  }

  var isRunning: Bool {
    if code == nil { code = program.codeIfEnded() }
    return code == nil
  }

  /// Waits for the end.
  func wait() -> Int32 {
    let code = code ?? program.wait()
    self.code = code
    return code
  }

  func end() {
    if isRunning { program.send(SIGKILL) }
    _ = wait()
  }
}
