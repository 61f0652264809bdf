// The examples of PingJourney's page. `DocumentationTests` compares the regions with it.
import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate

// snippet: login
/// Signs in with name and password; the session token, or a sentence that says why not.
func login(at server: String, name: String, password: String) async -> Result<String, LoginProblem> {
  let journey = Journey.createJourney { config in
    config.serverUrl = server  // http://127.0.0.1:8080/am
    config.realm = "alpha"
  }
  var node = await journey.start("Login")
  while let step = node as? ContinueNode {
    for callback in step.callbacks {
      switch callback {
      case let callback as NameCallback: callback.name = name
      case let callback as PasswordCallback: callback.password = password
      default: return .failure(LoginProblem("This app cannot answer \(type(of: callback))."))
      }
    }
    node = await step.next()
  }
  switch node {
  case let success as SuccessNode: return .success(success.session.value)
  case let refusal as ErrorNode: return .failure(LoginProblem("The server says: \(refusal.message)"))
  case let failure as FailureNode: return .failure(LoginProblem(failure.cause.localizedDescription))
  default: return .failure(LoginProblem("The server's answer was not understood."))
  }
}

struct LoginProblem: Error {
  let text: String

  init(_ text: String) { self.text = text }
}
// end

// snippet: session
func signOut(of journey: Journey) async {
  guard await journey.session() != nil else { return }
  if case .failure(let error) = await journey.journeySignOff() {
    print("Still signed in: \(error.localizedDescription)")
  }
}
// end
