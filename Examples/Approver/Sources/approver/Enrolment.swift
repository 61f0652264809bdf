import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOrchestrate
import PingStorage

/// Plays a journey that registers this device. The address comes in the journey, as it would in a QR code.
struct Enrolment {
  enum Kind: String {
    case push = "PushRegister"
    case codes = "OathRegister"
    case both = "CombinedRegister"
  }

  let server: String
  let realm: String

  /// Registers for `username`.
  ///
  /// - Parameter add: Takes the address; returns the id of the credential for codes, if it has one.
  func run(_ kind: Kind, username: String, password: String, add: (String) async throws -> String?)
    async throws
  {
    let (address, realmName) = (server, realm)
    let journey = Journey.createJourney { config in
      config.logger = LogManager.none
      config.serverUrl = address
      config.realm = realmName
      // The session that a registration ends with is not needed.
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
    var (added, codes): (String?, String?) = (nil, nil)
    var node = await journey.start(kind.rawValue)
    while let step = node as? ContinueNode {
      let isWaiting = step.callbacks.contains { $0 is PollingWaitCallback }
      for callback in step.callbacks {
        switch callback {
        case let callback as NameCallback where codes != nil:
          // The server wants to see the first code.
          guard let codes else { break }
          callback.name = try await Codes().code(of: codes)
        case let callback as NameCallback: callback.name = username
        case let callback as PasswordCallback: callback.password = password
        case let callback as HiddenValueCallback where callback.valueId == "mfaDeviceRegistration":
          // A page that waits comes again with the same address.
          if added != callback.value { codes = try await add(callback.value) }
          added = callback.value
        case let callback as TextOutputCallback:
          // A script draws the QR code for a browser, and the text beside it asks to scan it. What comes later are recovery codes.
          if callback.messageType != .script, added != nil, !isWaiting {
            Console.say("Keep this, it is shown once:\n\(callback.message)")
          }
        case let callback as PollingWaitCallback:
          try await Task.sleep(for: .milliseconds(min(max(callback.waitTime, 100), 60_000)))
        case let callback as ConfirmationCallback: if !isWaiting { callback.selectedIndex = 0 }
        case is HiddenValueCallback, is MetadataCallback: break
        default: throw ApproverError.unexpectedQuestion("\(type(of: callback))")
        }
      }
      node = await step.next()
    }
    switch node {
    case is SuccessNode: return
    case let error as ErrorNode: throw ApproverError.refused(error.message)
    case let failure as FailureNode: throw ApproverError.unreachable(failure.cause.localizedDescription)
    default: throw ApproverError.unexpectedQuestion("\(type(of: node))")
    }
  }
}
