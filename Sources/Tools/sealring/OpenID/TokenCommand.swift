import ArgumentParser
import BindingFormats
import PingJourney
import PingOidc
import PingOrchestrate
import PingStorage

extension OpenIDCommand {
  /// Plays an application that signs a user in.
  struct Tokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token",
      abstract: "Get tokens as an application does: sign in, and exchange the code (PKCE).",
      discussion: """
        Signs in with a journey, as the application's own page would, and prints the tokens. They are secrets, and kept nowhere; the \
        session that they belong to stays until it expires. The client is one that was added with --public and --no-consent: nobody \
        is asked here whether an application may have what it asks for.
        """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "The client's id.")
    var client: String

    @Option(help: "One of the client's redirect addresses. Nothing is sent there.")
    var redirect: String

    @Option(help: "Scopes, separated by spaces.")
    var scope = "openid"

    @Option(help: "The journey to sign in with.")
    var journey = "Login"

    @Option(help: "Your user name.")
    var username: String = CurrentSettings.text("user")

    @OptionGroup var output: ResultOptions

    func validate() throws {
      try CurrentSettings.require(username: username)
      guard scope.contains(where: { $0 != " " }) else { throw ValidationError("--scope is empty.") }
    }

    func run() async throws {
      var player = try device.player(at: server, for: username, secrets: try await secrets.load())
      let (provider, redirect) = (server.openIDProvider, redirect)
      let (client, scopes) = (client, Set(scope.split(separator: " ").map(String.init)))
      player.journey = server.makeJourney { config in
        config.module(PingJourney.OidcModule.config) {
          $0.discoveryEndpoint = provider + "/.well-known/openid-configuration"
          $0.clientId = client
          $0.redirectUri = redirect
          $0.scopes = scopes
          $0.storage = MemoryStorage<Token>()
        }
      }
      _ = try await player.play(journey)
      guard let user = await player.journey.journeyUser() else {
        throw CommandFailure.unsupported(
          "Journey \(printable(journey)) succeeded without a session. Choose another with --journey.")
      }
      switch await user.token() {
      case .success(let token):
        OpenSessions.ofThisCommand.keep()
        token.show(output)
      case .failure(let error): throw CommandFailure.of(oidc: error)
      }
    }
  }
}
