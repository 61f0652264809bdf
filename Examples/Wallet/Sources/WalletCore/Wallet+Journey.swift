import PingBinding
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOrchestrate
import PingStorage

extension Wallet {
  /// What the wallet answers to a journey's questions.
  struct Answers {
    var username = ""
    var password = ""
    var text = ""
    var deviceName: String?
    var kid: String?
  }

  /// Plays a journey to its end.
  ///
  /// - Returns: The session's token.
  func play(_ name: String, answers: Answers) async throws -> String {
    let (address, realmName) = (server, realm)
    let journey = Journey.createJourney { config in
      config.logger = LogManager.none
      config.serverUrl = address
      config.realm = realmName
      // Every payment is a journey of its own, and its session is not kept.
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
    var status: DeviceBindingStatus?
    var node = await journey.start(name)
    while let step = node as? ContinueNode {
      for callback in step.callbacks {
        switch callback {
        case let callback as NameCallback: callback.name = answers.username
        case let callback as PasswordCallback: callback.password = answers.password
        case let callback as TextInputCallback: callback.text = answers.text
        case let callback as DeviceBindingCallback:
          status = failure(of: await callback.bind { configure($0, answers) })
        case let callback as DeviceSigningVerifierCallback:
          status = failure(of: await callback.sign { configure($0, answers) })
        default: throw WalletError.unexpectedQuestion("\(type(of: callback))")
        }
      }
      // Also after a failure: the server decides what it means.
      node = await step.next()
    }
    switch node {
    case let success as SuccessNode: return success.session.value
    case let error as ErrorNode: throw status.map(WalletError.device) ?? .refused(error.message)
    case let failure as FailureNode:
      throw status.map(WalletError.device) ?? .unreachable(failure.cause.localizedDescription)
    default: throw WalletError.unexpectedQuestion("\(type(of: node))")
    }
  }

  private func configure(_ config: DeviceBindingConfig, _ answers: Answers) {
    config.applicationId = Self.applicationID
    config.pinCollector = pins
    // The person has seen the payment, and nothing else is signed in its place.
    config.textConfirmation = { asked in asked.utf8.elementsEqual(answers.text.utf8) }
    if let deviceName = answers.deviceName { config.deviceName = deviceName }
    if let kid = answers.kid { config.userKeySelector = OneKey(kid: kid) }
  }

  private func failure(of result: Result<[String: Any], any Error>) -> DeviceBindingStatus? {
    guard case .failure(let error) = result else { return nil }
    return error as? DeviceBindingStatus ?? .abort
  }
}

/// Chooses the account's key: the person has chosen the account already.
private struct OneKey: UserKeySelector {
  let kid: String

  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? { userKeys.first { $0.kid == kid } }
}
