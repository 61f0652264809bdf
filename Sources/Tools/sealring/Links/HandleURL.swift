import ArgumentParser
import BindingFormats
import Foundation
import PingBinding
import PingJourneyPlugin
import RuntimeLibraries
import TerminalPrompts

/// `sealring handle-url`: answers a link of the sign-in page with this computer's key.
struct HandleURL: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handle-url",
    abstract: "Answer a sealring: link of the sign-in page with the key of this computer.",
    discussion: """
      The desktop calls this when you press "Open Sealring" in a browser. It shows which server asks, for whom and for what, and signs only \
      after you have said yes. The answer goes to the sign-in page of the server that the key belongs to, which opens in the browser; \
      a page elsewhere that made the link gets nothing.
      """)

  @Argument(help: "The link, sealring://sign?…")
  var link: String

  @OptionGroup var device: DeviceOptions

  @Flag(help: "Read the PIN from standard input.")
  var pinStdin = false

  @Flag(
    help:
      "Print the address with the answer instead of opening it. It signs you in where the question is open: give it to nobody."
  )
  var print = false

  func run() async throws {
    do { try await answer() } catch let failure as CommandFailure {
      // The desktop closes the terminal when the command ends, and the reason would be lost with it.
      if !print, !pinStdin {
        Output.remark(failure.description)
        _ = await Terminal.controlling.ask("Press Enter to close. ", echoes: true)
        throw ExitCode.failure
      }
      throw failure
    }
  }

  private func answer() async throws {
    let link: SigningLink
    do { link = try SigningLink(parsing: self.link) } catch {
      throw CommandFailure(
        "This is not a link that Sealring can answer: \(error.problem). Nothing was signed.")
    }
    let server: ServerOptions
    // Parsing also refuses unencrypted addresses.
    do { server = try ServerOptions.parse(["--server=\(link.server)", "--realm=\(link.realm)"]) } catch {
      throw CommandFailure(
        "The server of this link, \(printable(link.server)), cannot be trusted with an answer. Nothing was signed."
      )
    }
    let keys = await KnownKeys(username: nil, server: server).all().filter { key in
      // A key without a server could answer for any server.
      key.server != nil && (link.userID.map { $0 == key.userId } ?? true)
    }
    guard !keys.isEmpty else {
      throw CommandFailure.notFound(
        """
        There is no key on this computer that belongs to \(printable(link.server)), realm \(printable(link.realm)), and to the user of this \
        sign-in. If you did not just press a button at that address, somebody else made this link. Nothing was signed.
        """)
    }
    let names = Set(keys.map(\.username))
    let account = names.count == 1 ? names.first : nil
    let pin = pinStdin ? try await StandardInput.shared.line(of: "PIN", for: "--pin-stdin") : nil
    let question = TransactionQuestion(server: server, account: account, source: .link)
    let player = try device.player(
      at: server, for: account, secrets: Secrets(givenPassword: nil, givenPIN: pin), question: question)
    let callback = Self.callback(of: link)
    callback.journey = server.makeJourney()
    if link.transaction == nil, case .random = Challenge(wire: link.challenge) {
      try await confirm(question, until: Date().addingTimeInterval(TimeInterval(link.timeout)))
    }
    let context = callback.transactionContext
    let result = await callback.sign { config in
      player.configureBinding(config)
      config.transactionConfirmation = { await question.ask($0, context) }
    }
    switch result {
    case .success(let answered):
      guard let jws = Self.jws(in: answered) else {
        throw CommandFailure("Nothing was signed: the key gave no signature.")
      }
      try await hand(link.answerAddress(jws: jws))
    case .failure(let error):
      // No option of this command can replace the person's answer.
      if let unasked = Terminal.controlling.unasked, !unasked.isSecret {
        throw CommandFailure.unsupported("Nobody can be asked: \(unasked.reason). Nothing was signed.")
      }
      throw question.failure(
        or: DeviceFailure.explain(
          error as? DeviceBindingStatus ?? .abort, because: callback.failure,
          triesLeft: await player.triesLeft()))
    }
  }

  /// Shows who asks to sign in. Signs nothing without a yes.
  private func confirm(_ question: TransactionQuestion, until end: Date) async throws {
    let what = "A page in your browser asks to sign in there with the key of this computer.\n"
    switch await Terminal.controlling.askYesNo(
      what + question.place + question.source.warning + "Confirm", until: end)
    {
    case .yes: return
    case .no: throw CommandFailure.cancelled("Refused: nothing was signed.")
    case .cancelled: throw CommandFailure.cancelled(because: "the sign-in was not confirmed")
    case .unavailable(let reason):
      throw CommandFailure.unsupported("Nobody can be asked: \(reason). Nothing was signed.")
    }
  }

  private static func callback(of link: SigningLink) -> DeviceSigningVerifierCallback {
    let callback = DeviceSigningVerifierCallback()
    _ = callback.initialize(with: link.callback)
    return callback
  }

  private static func jws(in callback: [String: Any]) -> String? {
    let inputs = callback["input"] as? [[String: Any]] ?? []
    return inputs.first { ($0["name"] as? String)?.hasSuffix("jws") == true }?["value"] as? String
  }

  /// Opens the browser at the server's own page, which takes the answer.
  private func hand(_ address: String) async throws {
    if print { return Output.line(address) }
    do {
      try SpawnedProgram(
        "/usr/bin/xdg-open", [address], environment: SpawnedProgram.environment([:]), output: .inherited,
        errors: .inherited
      ).wait()
    } catch {
      throw CommandFailure.notFound(
        "The browser cannot be opened: xdg-open is missing (package xdg-utils). `sealring handle-url --print` prints the address instead."
      )
    }
    Output.remark("Confirmed. Go on in the browser.")
  }
}
