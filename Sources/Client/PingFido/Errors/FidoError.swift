/// Why a ceremony of PingFido could not begin or did not end.
public enum FidoError: Error, Equatable, Sendable {
  /// The server's challenge is no base64.
  case invalidChallenge
  /// There is no window to show the system's prompt in.
  case invalidWindow
  /// The answer has no known form.
  case invalidResponse
  /// The server's action is unknown.
  case invalidAction
  /// The device cannot do what the server asks for.
  case unsupportedAction(String)
  /// The server's options lack something.
  case missingParameters(String)
  /// The time limit passed.
  case timeout
}
