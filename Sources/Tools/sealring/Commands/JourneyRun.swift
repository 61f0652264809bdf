import ArgumentParser
import Assembly
import Bytes
import Foundation
import JourneyEngine
import PingOrchestrate
import StrictJSON

extension JourneyCommand {
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Run a journey to its end, such as a sign-in that a push device approves.",
      discussion: """
        Names, passwords, texts, choices, codes, waiting, binding, signing and device profiles are answered; --username answers the first \
        question for a name, and others are asked at the terminal. What the server says, such as the number to choose on a push \
        device or recovery codes, goes to standard error. You can enrol this device for one-time codes when the journey offers it, and \
        `sealring oath` then makes the codes; a server that enrolled this device gets them without asking.
        """)

    @Argument(help: "The journey's name, such as PushSignIn.")
    var name: String

    @OptionGroup var server: ServerOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "Your user name.")
    var username: String?

    @Option(
      help: "The answer when the journey asks for text, and the only text that is signed without asking you.")
    var text: String?

    @Flag(
      help:
        "Send this device's location if the server asks for it. Without this option, you are asked.")
    var location = false

    @Option(
      help: "The credential that makes the one-time code: id, account or issuer in `sealring oath list`.")
    var oath: String?

    @Flag(
      help: "Read a one-time or recovery code from standard input, on the line after password and PIN.")
    var otpStdin = false

    @Option(
      help: """
        Play the journeys of this folder or file on a server in this process, in place of --server. Its only account is \
        --username, else demo, with the password of --password-stdin, else one that is made up and answered.
        """,
      completion: .directory)
    var journeys: String?

    @Flag(help: "With --journeys: print each node that the journey goes through, and its outcome.")
    var trace = false

    @OptionGroup(title: "With --journeys") var simulation: SimulationOptions

    @OptionGroup var output: ResultOptions

    func validate() throws {
      if trace, journeys == nil {
        throw ValidationError("--trace needs --journeys: other servers do not tell which nodes they play.")
      }
      if !simulation.simulate.isEmpty, journeys == nil {
        throw ValidationError(
          "--simulate needs --journeys: a client cannot simulate another server's services.")
      }
    }

    func run() async throws {
      var secrets = try await secrets.load()
      if otpStdin { secrets.givenCode = try await StandardInput.shared.line(of: "code", for: "--otp-stdin") }
      guard let journeys else {
        return try await play(at: server, for: username ?? CurrentSettings.user, with: secrets)
      }
      let local = LocalJourneys(
        source: URL(filePath: journeys), realm: server.realm, isTraced: trace,
        simulation: try simulation.simulation())
      for line in try simulation.remarks() { Output.remark(line) }
      let username = username ?? "demo"
      // The server ends with the command, so a random password is enough.
      let password = secrets.givenPassword ?? SystemRandom.bytes(12).hexadecimal
      let own = Secrets(
        givenPassword: password, givenPIN: secrets.givenPIN, givenCode: secrets.givenCode)
      try await local.run { options, server in
        let names = server.catalog.summaries(realm: options.realm).filter(\.canStart).map(\.name)
        guard names.contains(name) else {
          if let refused = server.report(port: 0).unavailable.first(where: { $0.name == name }) {
            throw CommandFailure.invalid(
              sentence(printable("The journey \(name) does not load: \(refused.reason)")))
          }
          throw CommandFailure.notFound(
            "There is no journey \(printable(name)) to run. There are \(names.map(printable).joined(separator: ", "))."
          )
        }
        try await server.createUser(username, password: Secret(password), realm: options.realm)
        // The session ends before the server does.
        try await ending({ await OpenSessions.ofThisCommand.end() }) {
          try await play(at: options, for: username, with: own, handsOver: false)
        }
      }
    }

    /// - Parameter handsOver: Whether the session may be kept: it is of no use once a server in this process has ended.
    private func play(
      at server: ServerOptions, for username: String?, with secrets: Secrets, handsOver: Bool = true
    ) async throws {
      let hasCode = otpStdin
      let codes = OathAnswers(server: server, username: username, named: oath)
      var player = try device.player(
        at: server, for: username, secrets: secrets,
        question: TransactionQuestion(server: server, account: username, text: text))
      player.text = text
      player.offerEnrolment = { try await codes.take(enrolment: $0) }
      player.makeCode = { hasCode ? nil : try await codes.code($0) }
      player.profile = DeviceProfileAnswers(server: server, isLocationAllowed: location)
      player.codeEnded = { await codes.end($0) }
      let outcome = try await player.play(name)
      var object: JSONObject = ["journey": .string(name), "tokenId": .string(outcome.session.value)]
      object["evidence"] = outcome.evidence.map { .integer($0) }
      output.result(
        "Journey \(printable(name)) succeeded\(username.map { " for \(printable($0))" } ?? "").", object)
      if handsOver { output.handOver(outcome.session) }
    }
  }
}
