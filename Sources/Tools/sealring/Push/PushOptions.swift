import ArgumentParser
import Foundation
import PingLogger
import PingPush
import StrictJSON

/// What the push commands of the device's side have in common.
struct PushOptions: ParsableArguments {
  @Flag(
    help:
      "Talk to servers without TLS on other machines too. For tests: who listens on the way learns who signs in."
  )
  var allowHTTP = false

  /// Runs `body` with the client that keeps its state in the client's folder, and closes it.
  func withClient<Result>(_ body: (PushClient) async throws -> Result) async throws -> Result {
    do {
      let allowHTTP = allowHTTP
      let client = try await PushClient.createClient { config in
        config.logger = RemarkLogger()
        config.allowsUnencryptedServers = allowHTTP
      }
      let result: Result
      do { result = try await body(client) } catch {
        await client.close()
        throw error
      }
      await client.close()
      return result
    } catch let error as PushError {
      throw PushFailure(error).failure
    }
  }

  /// Asks the servers for requests; `false` when one could not be asked, which has been said then.
  func fetch(with client: PushClient, json: Bool) async throws -> Bool {
    do {
      _ = try await client.fetchNotifications()
      return true
    } catch let error as PushError {
      PushFailure(error).report(json: json)
      return false
    }
  }
}

/// A failure of the push client, with what to do next.
struct PushFailure {
  let failure: CommandFailure

  var description: String { failure.description }

  init(_ error: any Error) {
    failure =
      switch error {
      case let error as CommandFailure: error
      case let error as PushError: Self.failure(error)
      default: CommandFailure(PlainReason.of(error), code: PlainReason.code(of: error))
      }
  }

  /// Says it on standard error while the command goes on.
  func report(json: Bool) {
    Output.remark(json ? failure.json.lineText : "Error: \(failure.description)")
  }

  private static func failure(_ error: PushError) -> CommandFailure {
    let said = PlainReason.of(error)
    return switch error {
    case .invalidUri:
      CommandFailure(
        "\(said) Pass the whole code, as the server shows it, in quotation marks.", code: .invalid)
    case .networkFailure:
      CommandFailure(
        "\(said) Check that the server runs and can be reached, then try again.", code: .unreachable)
    case .pushNumberChallengeError:
      CommandFailure(
        "That is not what the sign-in page shows. Look again: after a second wrong answer the request is denied.",
        code: .wrongSecret)
    case .credentialLocked:
      CommandFailure(
        "\(said) A policy of the server locks it; `sealring push credentials` names the policy. Denying is still possible.",
        code: .locked)
    case .duplicateCredential:
      CommandFailure(
        "\(said) Delete the old one first with `sealring push credentials delete`, if it is to be replaced.",
        code: .conflict)
    case .policyViolation:
      CommandFailure(
        "\(said) This device does not meet what the server asks for; nothing was registered.",
        code: .unsupported)
    case .credentialNotFound, .notificationNotFound: CommandFailure(said, code: .notFound)
    case .registrationFailed: CommandFailure(said, code: .refused)
    case .missingRequiredParameter, .invalidParameterValue, .messageParsingFailed:
      CommandFailure(said, code: .invalid)
    case .storageFailure: CommandFailure("\(said) Check the folder SEALRING_HOME and who may write there.")
    default: CommandFailure(said)
    }
  }
}

extension PushError {
  /// Whether a wrong number or code was answered.
  var isWrongNumber: Bool {
    if case .pushNumberChallengeError = self { true } else { false }
  }
}

/// Says what goes wrong meanwhile, such as a server that does not answer; the rest is for people who look for a fault.
struct RemarkLogger: Logger {
  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) {
    // The command says it in its own words.
    guard !message.hasPrefix("The server refused the ") else { return }
    say(message, error)
  }
  func e(_ message: String, error: (any Error)?) { say(message, error) }

  private func say(_ message: String, _ error: (any Error)?) {
    let reason = error.map { ": \(PlainReason.of($0))" } ?? ""
    Output.remark("Warning: \(printable(sentence(message + reason)))")
  }
}
