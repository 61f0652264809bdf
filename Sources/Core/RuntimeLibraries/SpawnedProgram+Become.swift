internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension SpawnedProgram {
  /// Replaces this process with the program, which keeps its terminal, standard streams and process ID. The program gets no other open
  /// file, and blocks and ignores no signals.
  ///
  /// - Parameter changes: Variables to add to those of this process.
  /// - Returns: Why the program did not start. On success the function does not return.
  package static func become(
    _ program: String, _ arguments: [String], environment changes: [String: String]
  ) -> Failure {
    for (name, value) in changes { setenv(name, value, 1) }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      if let other = Int32(name), other > 2 { _ = fcntl(other, F_SETFD, FD_CLOEXEC) }
    }
    signal(SIGPIPE, SIG_DFL)
    // Threads that run tasks block some signals.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    execvp(program, words)
    return Failure(description: "\(program) does not start: \(String(cString: strerror(errno)))")
  }
}
