import ArgumentParser
import PingOrchestrate
import StrictJSON

extension JourneyCommand {
  /// `sealring journey run NAME`: sign in by any journey.
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Play a journey to its end, such as a sign-in that a push device approves.",
      discussion: """
        Names, passwords, texts, choices, waiting, binding, signing and device profiles are answered. What the server says, such as the \
        number to choose on a push device, goes to standard error. An enrolment for one-time codes is taken, and \
        `sealring oath` makes the codes; a server that enrolled this device gets them without a question.
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

    @Flag(
      help:
        "Agree that a server which asks where this device is gets the location. Without it, you are asked.")
    var location = false
    @Option(
      help: "The credential that makes the one-time code: id, account or issuer in `sealring oath list`.")
    var oath: String?

    @Flag(help: "Print the session as JSON.")
    var json = false

    func run() async throws {
      let secrets = try await secrets.load()
      let (device, username) = (device, username ?? CurrentSettings.user)
      let keyStore = try device.chip.keyStore()
      let codes = OathAnswers(server: server, username: username, named: oath)
      let player = JourneyPlayer(
        journey: server.makeJourney(), username: username, secrets: secrets, text: text,
        configureBinding: { config in
          config.apply(device, keyStore: keyStore, secrets: secrets, username: username)
        }, offerEnrolment: { try await codes.take(enrolment: $0) },
        makeCode: { try await codes.code($0) },
        profile: DeviceProfileAnswers(server: server, isLocationAllowed: location))
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
