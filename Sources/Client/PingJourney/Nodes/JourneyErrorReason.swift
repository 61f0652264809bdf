internal import PingJourneyPlugin
public import PingOrchestrate

/// Why PingAM refused to continue a journey.
public enum JourneyErrorReason: Sendable, Equatable {
  /// The journey ended at its failure node.
  case loginFailure
  /// The step is too old, was answered before, or is unknown: start again.
  case sessionTimedOut
  /// The link to a suspended journey is too old, was used before, or is unknown: start again.
  case suspensionExpired
  /// The server timed out waiting for something: try again.
  case requestTimedOut
  /// Anything else; see the node's message.
  case other
}

extension ErrorNode {
  /// Why PingAM refused to continue.
  public var reason: JourneyErrorReason {
    let detail = input["detail"] as? [String: Any] ?? [:]
    let code = input["code"].flatMap { OutputValue.text($0) }
    let errorCode = detail["errorCode"].flatMap { OutputValue.text($0) }
    // Sealring's server sends `alreadyAnswered`: the step was answered before, and the journey has ended.
    if errorCode == "110" || errorCode == "alreadyAnswered" { return .sessionTimedOut }
    if code == "1999" || code == "requestTimedOut" { return .requestTimedOut }
    if message.contains("SuspendedAuthSessionException") { return .suspensionExpired }
    // Servers before 6.5.3 have no error code.
    if status == 400, message.lowercased().contains("timeout") { return .sessionTimedOut }
    if status == 401, message == "Login failure" || detail["failureUrl"] != nil { return .loginFailure }
    return .other
  }
}
