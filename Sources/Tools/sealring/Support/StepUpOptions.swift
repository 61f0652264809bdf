import ArgumentParser
import PingOrchestrate

/// An option for commands that change factors, on servers that require more than any session.
struct StepUpOptions: ParsableArguments {
  /// The journey in which a signed-in user proves more.
  static let journey = "StepUp"

  @Flag(
    help: """
      Confirm who you are first, with the journey StepUp: with this device's key, or with what else the account has. For servers that \
      require it before devices are changed.
      """)
  var stepUp = false

  /// The message when a server refuses without the option.
  static func advice(_ reason: String) -> String {
    "The server requires you to confirm who you are first: \(reason) "
      + "Add --step-up to do that, or sign in with a journey such as --journey SignIn."
  }
}

extension JourneyPlayer {
  /// The session of a journey, stepped up if the option is given.
  func session(_ name: String, _ options: StepUpOptions) async throws -> any Session {
    let session = try await play(name).session
    return options.stepUp ? try await play(StepUpOptions.journey, forceAuth: true).session : session
  }
}

extension ErrorNode {
  /// The server's requirement when it refuses to change factors; `nil` for other errors.
  var neededStepUp: String? {
    guard let detail = input["detail"] as? [String: Any], detail["errorCode"] as? String == "stepUpRequired"
    else { return nil }
    let level = detail["authLevel"] as? Int ?? 0
    let age = detail["maximumAge"] as? Int ?? 0
    return "changing factors needs a sign-in of at most \(age) seconds ago"
      + (level > 0 ? " with at least authentication level \(level)." : ".")
  }
}
