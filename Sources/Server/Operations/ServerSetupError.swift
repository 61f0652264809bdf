/// Why a server cannot start with its configuration.
public struct ServerSetupError: Error, Sendable, CustomStringConvertible {
  /// One sentence that says what to change.
  public let description: String

  package init(_ description: String) { self.description = description }
}
