import Foundation

/// A program beside the test. What it says goes to a file.
final class Program {
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  private let process: pid_t
  private var status: Int32?

  /// - Parameter log: takes the program's output.
  init(_ arguments: [String], environment: [String: String] = [:], log: URL) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // Another program's connection to its TPM, kept open here, would never end for that TPM.
    for descriptor: Int32 in 3...255 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var process = pid_t()
    let result = posix_spawnp(&process, arguments[0], &actions, &attributes, argv, envp)
    guard result == 0 else {
      throw Failed(description: "\(arguments[0]): \(String(cString: strerror(result)))")
    }
    self.process = process
  }

  deinit { end() }

  /// Runs to the end; throws what the program said when it failed.
  static func run(_ arguments: [String], environment: [String: String] = [:], log: URL) throws {
    guard try Program(arguments, environment: environment, log: log).wait() == 0 else {
      let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      throw Failed(description: "\(arguments.joined(separator: " ")): \(said)")
    }
  }

  var isRunning: Bool {
    reap(WNOHANG)
    return status == nil
  }

  /// Waits for the end.
  func wait() -> Int32 {
    while status == nil { reap(0) }
    return status ?? -1
  }

  func end() {
    if isRunning { kill(process, SIGKILL) }
    _ = wait()
  }

  private func reap(_ options: Int32) {
    guard status == nil else { return }
    var value: Int32 = 0
    if waitpid(process, &value, options) == process { status = value }
  }
}
