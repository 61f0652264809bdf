internal import PingLogger

/// What a migration has to say. Names of users never reach it.
struct MigrationLog: Sendable {
  /// `nil` is the module's, looked up line by line: it may be set after a migration has begun.
  let logger: (any Logger)?

  private var current: any Logger { logger ?? BindingModule.logger(for: nil) }

  func d(_ message: String) { current.d(message) }
  func i(_ message: String) { current.i(message) }
  func w(_ message: String, _ error: (any Error)? = nil) { current.w(message, error: error) }
}
