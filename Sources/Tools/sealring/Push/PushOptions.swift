import ArgumentParser
import Foundation
import PingLogger
import PingPush

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
      throw PushFailure(error)
    }
  }

  /// Asks the servers for requests; `false` when one could not be asked, which has been said then.
  func fetch(with client: PushClient) async throws -> Bool {
    do {
      _ = try await client.fetchNotifications()
      return true
    } catch let error as PushError {
      Output.remark("Error: \(PushFailure(error).description)")
      return false
    }
  }
}

/// A failure of the push client, with what to do next.
struct PushFailure: Error, CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    description =
      switch error {
      case let error as CommandFailure: error.description
      case let error as PushError: Self.text(error)
      default: sentence(error.localizedDescription)
      }
  }

  private static func text(_ error: PushError) -> String {
    let said = printable(sentence(error.localizedDescription))
    return switch error {
    case .invalidUri: "\(said) Pass the whole code, as the server shows it, in quotation marks."
    case .networkFailure: "\(said) Check that the server runs and can be reached, then try again."
    case .pushNumberChallengeError:
      "That is not what the sign-in page shows. Look again: after a second wrong answer the request is denied."
    case .credentialLocked:
      "\(said) A policy of the server locks it; `sealring push credentials` names the policy. Denying is still possible."
    case .duplicateCredential:
      "\(said) Delete the old one first with `sealring push credentials delete`, if it is to be replaced."
    case .policyViolation:
      "\(said) This device does not meet what the server asks for; nothing was registered."
    case .storageFailure: "\(said) Check the folder SEALRING_HOME and who may write there."
    default: said
    }
  }
}

/// Says what goes wrong meanwhile, such as a server that does not answer; the rest is for people who look for a fault.
struct RemarkLogger: Logger {
  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) { say(message, error) }
  func e(_ message: String, error: (any Error)?) { say(message, error) }

  private func say(_ message: String, _ error: (any Error)?) {
    let reason = error.map { ": \($0.localizedDescription)" } ?? ""
    Output.remark("Warning: \(printable(sentence(message + reason)))")
  }
}
