// The examples of "Binding keys to a device". `DocumentationTests` compares the regions with the article.
import DeviceKeys
import Foundation
import PingBinding
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import SigningTransactions

// snippet: play
/// Plays a journey to its end: answers name and password, binds or signs when the server asks for it.
func play(
  _ name: String, on journey: Journey, username: String = "", password: String = "",
  configure: (DeviceBindingConfig) -> Void
) async -> any Node {
  var node = await journey.start(name) { $0.forceAuth = true }
  while let step = node as? ContinueNode {
    for callback in step.callbacks {
      switch callback {
      case let callback as NameCallback: callback.name = username
      case let callback as PasswordCallback: callback.password = password
      case let callback as DeviceBindingCallback: await callback.bind(config: configure)
      case let callback as DeviceSigningVerifierCallback: await callback.sign(config: configure)
      default: break
      }
    }
    node = await step.next()
  }
  return node
}
// end

// snippet: program
func bindAndSignIn(at server: String) async {
  let journey = Journey.createJourney { config in
    config.serverUrl = server  // http://127.0.0.1:8080/am
    config.realm = "alpha"
  }
  let bound = await play("BindDevice", on: journey, username: "mira", password: "Palisade-19") {
    $0.applicationId = "com.sealring.cli"
    $0.deviceName = "Till 4"
  }
  print(bound is SuccessNode ? "bound" : "not bound: \(bound)")

  let signedIn = await play("SignIn", on: journey) { $0.applicationId = "com.sealring.cli" }
  print((signedIn as? SuccessNode)?.session.value ?? "not signed in: \(signedIn)")
}
// end

// snippet: bind
func answer(_ callback: DeviceBindingCallback) async {
  let result = await callback.bind { config in
    config.deviceName = "Till 4"
    config.applicationId = "com.acme.wallet"
  }
  switch result {
  case .success: print("The key is made; the server has the last word.")
  case .failure(let error): print("Not bound: \(error.localizedDescription)")
  }
}
// end

// snippet: sign
func answer(_ callback: DeviceSigningVerifierCallback) async {
  let result = await callback.sign { config in
    config.applicationId = "com.acme.wallet"
    config.claims = ["order": "A-1093", "items": 3, "expressDelivery": true]
  }
  if case .failure(let error as DeviceBindingStatus) = result { print(error.errorMessage) }
}
// end

// snippet: transaction
func approve(
  _ id: String, on journey: Journey, asking: @escaping ([String]) async -> Bool,
  configure: (DeviceBindingConfig) -> Void
) async -> Bool {
  let node = await journey.start(transaction: id)
  guard let step = node as? ContinueNode else { return false }
  for case let callback as DeviceSigningVerifierCallback in step.callbacks {
    await callback.sign { config in
      configure(config)
      config.transactionConfirmation = { transaction in await asking(transaction.lines) }
    }
  }
  return await step.next() is SuccessNode
}
// end

// snippet: errors
/// What to tell the person; `nil` when there is nothing to tell.
func message(after result: Result<[String: Any], any Error>, failure: (any Error)?) -> String? {
  guard case .failure(let error as DeviceBindingStatus) = result else { return nil }
  switch error {
  case .abort:
    return nil
  case .clientNotRegistered:
    return "This device is not bound any more. Bind it again."
  case .unAuthorize:
    guard case .lockedOut(_, let seconds?) = failure as? DeviceKeyError else { return "That was not right." }
    return "Too many wrong PINs. Try again in \(Int(seconds.rounded(.up))) seconds."
  case .timeout, .unsupported, .invalidCustomClaims:
    return error.errorMessage
  }
}
// end

// snippet: client-error
func answerMappingErrors(_ callback: DeviceSigningVerifierCallback) async {
  let result = await callback.sign { $0.applicationId = "com.acme.wallet" }
  if case .failure(DeviceBindingStatus.clientNotRegistered) = result {
    callback.setClientError("BindFirst")
  }
}
// end
