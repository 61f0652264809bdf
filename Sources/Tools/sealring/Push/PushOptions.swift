import ArgumentParser
import PingLogger
import PingPush
import StrictJSON

/// The common part of the device's push commands.
struct PushOptions: ParsableArguments {
  @Flag(
    help:
      "Allow servers without TLS on other machines. For tests: anyone on the network can see who signs in."
  )
  var allowHTTP = false

  /// Runs `body` with the push client, whose state is in the client's folder, and closes it.
  func withClient<Result>(_ body: (PushClient) async throws -> Result) async throws -> Result {
    let client = try await PushClient.createClient { [allowHTTP] config in
      config.logger = RemarkLogger()
      config.allowsUnencryptedServers = allowHTTP
    }
    return try await ending({ await client.close() }) { try await body(client) }
  }

  /// Fetches requests from the servers. Returns `false` when one could not be reached, which it reports.
  func fetch(with client: PushClient, json: Bool) async throws -> Bool {
    do {
      _ = try await client.fetchNotifications()
      return true
    } catch let error as PushError {
      CommandFailure.of(error).report(json: json)
      return false
    }
  }
}

extension ServerOptions {
  /// The options for push devices that go with the server's.
  var pushOptions: PushOptions {
    var options = PushOptions()
    options.allowHTTP = allowHTTP
    return options
  }
}

extension CommandFailure {
  /// Explains a failure of the push client, with the next step.
  static func of(push error: PushError) -> CommandFailure {
    let said = PlainReason.of(error)
    return switch error {
    case .invalidUri:
      CommandFailure.invalid("\(said) Pass the whole code, as the server shows it, in quotation marks.")
    case .networkFailure(let what, let cause?) where PlainReason.isForeign(cause):
      CommandFailure.unreachable(
        "\(sentence(printable(what))) No connection: \(PlainReason.of(cause)) Check that the server runs and can be reached, then try again."
      )
    case .networkFailure:
      CommandFailure.unreachable("\(said) Check that the server runs and can be reached, then try again.")
    case .pushNumberChallengeError:
      CommandFailure.wrongSecret(
        "That is not what the sign-in page shows. Look again: after a second wrong answer the request is denied."
      )
    case .credentialLocked:
      CommandFailure.locked(
        "\(said) A policy of the server locks it; `sealring push credentials` names the policy. Denying is still possible."
      )
    case .duplicateCredential:
      CommandFailure.conflict(
        "\(said) To replace it, delete the old one first with `sealring push credentials delete`.")
    case .policyViolation:
      CommandFailure.unsupported(
        "\(said) This device does not meet what the server asks for; nothing was registered.")
    case .credentialNotFound, .notificationNotFound: CommandFailure.notFound(said)
    case .registrationFailed: CommandFailure.refused(said)
    case .missingRequiredParameter, .invalidParameterValue, .messageParsingFailed:
      CommandFailure.invalid(said)
    case .storageFailure: CommandFailure("\(said) Check the folder SEALRING_HOME and who may write there.")
    default: CommandFailure(said)
    }
  }
}

extension PushError {
  /// Whether the failure is a wrong number or code.
  var isWrongNumber: Bool {
    if case .pushNumberChallengeError = self { true } else { false }
  }
}

/// Prints warnings and errors, such as an unreachable server, and drops debugging messages.
struct RemarkLogger: Logger {
  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) {
    // The command reports this in its own words.
    guard !message.hasPrefix("The server refused the ") else { return }
    say(message, error)
  }
  func e(_ message: String, error: (any Error)?) { say(message, error) }

  private func say(_ message: String, _ error: (any Error)?) {
    let reason = error.map { ": \(PlainReason.of($0))" } ?? ""
    Output.remark("Warning: \(printable(sentence(message + reason)))")
  }
}
