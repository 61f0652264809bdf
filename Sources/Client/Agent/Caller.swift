/// The program at the other end of a connection.
package struct Caller: Sendable, Hashable {
  /// The user that the program runs as.
  package let user: UInt32
  package let process: Int32
  /// The program's file; `nil` when it cannot be seen. A program of the same user can run under any file: this names it for a person, and
  /// proves nothing.
  package let executable: String?
  /// The controlling terminal, such as `/dev/pts/3`; `nil` without one. The caller can choose it freely, too.
  package let terminal: String?

  package init(user: UInt32, process: Int32, executable: String?, terminal: String? = nil) {
    (self.user, self.process, self.executable, self.terminal) = (user, process, executable, terminal)
  }

  /// The same caller with the executable that root's program names.
  package func running(_ executable: String) -> Caller {
    Caller(user: user, process: process, executable: executable, terminal: terminal)
  }

  package var text: String { "\(executable ?? "a program that cannot be seen") (process \(process))" }
}
