import PingBinding
import PingJourney
import PingJourneyPlugin
import PingOrchestrate

/// Signs in with the key on this device, which its owner unlocks.
/// Returns the session token, or `nil` when the server refused.
func signIn(at server: String) async -> String? {
  let journey = Journey.createJourney { config in
    config.serverUrl = server  // for example http://127.0.0.1:8080/am
    config.realm = "alpha"
  }
  var node = await journey.start("SignIn")
  while let step = node as? ContinueNode {
    for case let callback as DeviceSigningVerifierCallback in step.callbacks {
      await callback.sign { $0.applicationId = "com.sealring.cli" }
    }
    node = await step.next()
  }
  return (node as? SuccessNode)?.session.value
}
