import Foundation
import PingExternalIdP
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOrchestrate
import PingStorage

/// Signs in by an account that the person has elsewhere, in the person's own browser: on a desktop that opens, in a terminal the address is shown.
@main
struct ProviderCommand {
  static func main() async {
    let environment = ProcessInfo.processInfo.environment
    let journey = Journey.createJourney { config in
      config.serverUrl = environment["PROVIDER_SERVER"] ?? "http://127.0.0.1:8080/am"
      config.realm = environment["PROVIDER_REALM"] ?? "alpha"
      config.logger = LogManager.warning
      // In memory: when the program has ended, nobody is signed in. Without this line the session stays, encrypted.
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
    do {
      var node = await journey.start(environment["PROVIDER_JOURNEY"] ?? "Social")
      while let step = node as? ContinueNode {
        for callback in step.callbacks { try await answer(callback, issuer: environment["PROVIDER_ISSUER"]) }
        node = await step.next()
      }
      switch node {
      case is SuccessNode: print("Signed in.")
      case let refusal as ErrorNode: throw Problem(refusal.message)
      case let failure as FailureNode: throw failure.cause
      default: throw Problem("The server's answer was not understood.")
      }
    } catch {
      print(error.localizedDescription)
      exit(1)
    }
  }

  /// - Parameter issuer: the provider's address, for journeys that leave the sign-in there to the app.
  private static func answer(_ callback: any Callback, issuer: String?) async throws {
    switch callback {
    case let select as SelectIdpCallback: select.value = try choice(of: select.providers.map(\.provider))
    case let redirect as RedirectCallback:
      // The redirect's parameters go to the server with the next step.
      _ = try await redirect.authorize().get()
    case let callback as IdpCallback:
      guard let issuer else { throw Problem("Say by PROVIDER_ISSUER where '\(callback.provider)' is.") }
      let handler = OpenIDHandler(discoveryEndpoint: issuer + "/.well-known/openid-configuration")
      _ = try await callback.authorize(idpHandler: handler).get()
    default: throw Problem("This program cannot answer \(type(of: callback)).")
    }
  }

  private static func choice(of names: [String]) throws -> String {
    for (index, name) in names.enumerated() { print("\(index + 1). \(name)") }
    print("Sign in by (1 to \(names.count)): ", terminator: "")
    fflush(nil)
    guard let line = readLine(), let number = Int(line), names.indices.contains(number - 1) else {
      throw Problem("That is none of them.")
    }
    return names[number - 1]
  }

  private struct Problem: LocalizedError {
    let errorDescription: String?

    init(_ text: String) { errorDescription = text }
  }
}
