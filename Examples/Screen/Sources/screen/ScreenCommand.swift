import Foundation
import PingOidc
import PingStorage

/// A screen on a wall: nobody can type a password on it, so it shows a code, and a person signs it in from a phone.
@main
struct ScreenCommand {
  static func main() async {
    let environment = ProcessInfo.processInfo.environment
    let config = OidcClientConfig()
    let issuer = environment["SCREEN_ISSUER"] ?? "http://127.0.0.1:8080/am/oauth2/alpha"
    config.discoveryEndpoint = issuer + "/.well-known/openid-configuration"
    config.clientId = environment["SCREEN_CLIENT"] ?? "screen"
    config.scopes = ["openid", "profile"]
    // In memory: whoever switches the screen off signs it out. Without this line the tokens stay, encrypted.
    config.storage = MemoryStorage<Token>()

    while !Task.isCancelled {
      for await state in OidcDeviceClient(config: config).deviceAuthorization() {
        switch state {
        case .started(let answer):
          // An app with a picture shows verificationUriComplete as a QR code, and always the code itself, for people to compare.
          print("Open \(answer.verificationUri)")
          print("and type \(answer.userCode)")
          // At once, also where the output is no terminal.
          fflush(nil)
        case .polling: break
        case .success(let user): return await welcome(user)
        case .accessDenied: return print("Somebody said no.")
        case .expired: print("That code is too old. Here is a new one.")
        case .failure(let error):
          print(error.errorMessage)
          exit(1)
        }
      }
    }
  }

  private static func welcome(_ user: OidcUser) async {
    switch await user.userinfo(cache: false) {
    case .success(let claims):
      // An account need not have a name.
      let name = ["name", "preferred_username", "sub"].lazy.compactMap { claims[$0] as? String }.first
      print("Hello, \(name ?? "you")!")
    case .failure(let error): print(error.errorMessage)
    }
    await user.revoke()
  }
}
