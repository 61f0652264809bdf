/// Why a command did not do what it was asked: one sentence that says what to do next. Printed to standard error; exit code 1.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
