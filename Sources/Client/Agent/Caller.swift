/// The program at the other end of a connection.
package struct Caller: Sendable, Hashable {
  /// The user it runs as.
  package let user: UInt32
  package let process: Int32
  /// Its file; `nil` when that cannot be seen. A program of the same user can run under any file: this names it for a person, and
  /// proves nothing.
  package let executable: String?
  /// The terminal that controls it, such as `/dev/pts/3`; `nil` without one. Of the caller's own choice, too.
  package let terminal: String?

  package init(user: UInt32, process: Int32, executable: String?, terminal: String? = nil) {
    (self.user, self.process, self.executable, self.terminal) = (user, process, executable, terminal)
  }

  /// The same, where root's program says which file it is.
  package func running(_ executable: String) -> Caller {
    Caller(user: user, process: process, executable: executable, terminal: terminal)
  }

  package var text: String { "\(executable ?? "a program that cannot be seen") (process \(process))" }
}
