// The examples of PingJourney's articles, compiled.
import PingJourney
import PingJourneyPlugin
import PingOrchestrate

func signIn(at server: String, name: String, password: String) async -> String? {
  let journey = Journey.createJourney { config in
    config.serverUrl = server
    config.realm = "alpha"
  }
  var node = await journey.start("Login")
  while let step = node as? ContinueNode {
    for callback in step.callbacks {
      switch callback {
      case let callback as NameCallback: callback.name = name
      case let callback as PasswordCallback: callback.password = password
      default: break
      }
    }
    node = await step.next()
  }
  return (node as? SuccessNode)?.session.value
}
