import ArgumentParser
import PingOrchestrate
import StrictJSON

extension JourneyCommand {
  /// `sealring journey run NAME`: sign in by any journey.
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Play a journey to its end, such as a sign-in that a push device approves.",
      discussion: """
        Names, passwords, texts, choices, waiting, binding and signing are answered. What the server says, such as the \
        number to choose on a push device, goes to standard error.
        """)

    @Argument(help: "The journey's name, such as PushSignIn.")
    var name: String

    @OptionGroup var server: ServerOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "Who you are.")
    var username: String?

    @Option(help: "The answer where the journey asks for text.")
    var text: String?

    @Flag(help: "Print the session as JSON.")
    var json = false

    func run() async throws {
      let secrets = try await secrets.load()
      let (device, username) = (device, username ?? CurrentSettings.user)
      let keyStore = try device.chip.keyStore()
      let player = JourneyPlayer(
        journey: server.makeJourney(), username: username, secrets: secrets, text: text,
        configureBinding: { config in
          config.apply(device, keyStore: keyStore, secrets: secrets, username: username)
        })
      let outcome = try await player.play(name)
      if json {
        OpenSessions.ofThisCommand.keep()
        Output.json(["journey": .string(name), "tokenId": .string(outcome.session.value)])
      } else {
        Output.line("Journey \(printable(name)) succeeded.")
        if !outcome.session.value.isEmpty {
          Output.remark("The session has ended with this command; --json hands it over.")
        }
      }
    }
  }
}
