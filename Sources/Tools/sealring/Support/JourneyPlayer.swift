import JOSE
import PingBinding
import PingFido
import SecurityKeys
import PingJourney
import PingOrchestrate
import SigningTransactions
import StrictJSON

/// Plays a journey to its end with the answers that a command has.
struct JourneyPlayer {
  var journey: Journey
  let username: String?
  let secrets: Secrets

  /// Answers a TextInputCallback, such as the transaction to sign; `nil` when the command has none.
  var text: String?

  /// How to answer the two binding callbacks.
  var configureBinding: @Sendable (DeviceBindingConfig) -> Void = { _ in }

  /// Further settings for a signing callback, by what the server says about its transaction.
  var configureSigning: @Sendable (DeviceBindingConfig, TransactionContext?) -> Void = { _, _ in }

  /// Shows what is to be signed; `nil` for commands that use no bound key.
  var question: TransactionQuestion?

  /// Says how many wrong PINs the key still takes; `nil` when nobody knows.
  var triesLeft: @Sendable () async -> String? = { nil }

  /// Chooses one of several answers by its index; `nil` chooses none. By default a single answer is taken, and the terminal asks about
  /// several.
  var choose: @Sendable (_ question: String, _ answers: [String]) async throws -> Int? = JourneyQuestion.ask

  /// Takes what the server offers to a device to enrol with, once for each offer.
  var offerEnrolment: @Sendable (_ uri: String) async throws -> Void = { _ in throw offersEnrolment }

  /// The failure of a journey that would wait for a device that cannot be enrolled meanwhile.
  static let offersEnrolment = CommandFailure.notFound(
    "The account has no device for this journey, and the server offers to enrol one. Nothing was enrolled: `sealring push qr` "
      + "shows the code to a push device, then run this again."
  )

  /// Makes a one-time code that the journey asks for; `nil` when the person has to type it.
  var makeCode: @Sendable (_ prompt: String) async throws -> String? = { _ in nil }

  /// Called at the end of the journey with what became of the codes.
  var codeEnded: @Sendable (CodeProof) async -> Void = { _ in }

  /// Called in each step with the seconds that the enrolment on the screen is still open; `nil` when there is none, or the server does not
  /// say.
  var enrolmentTimeLeft: @Sendable (_ seconds: Int?) -> Void = { _ in }

  /// Waits as long as the server asks.
  var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// What the WebAuthn callbacks work with; `nil` for commands that do not answer them.
  var passkeys: FidoConfig?
  #if os(Linux)
    /// Signs where this machine has none of the passkeys that the server names; `nil` leaves that to ``passkeys``.
    var confirmingKey: SecurityKeyAuthenticator?
  #endif

  /// Answers the callback that asks for the device's profile.
  var profile = DeviceProfileAnswers()

  /// What to call this device when a key is bound or registered.
  var deviceName: String?

  /// What a journey that succeeded leaves.
  struct Outcome {
    var session: any Session = EmptySession()
    /// What `bind()` or `sign()` answered last, as `name: value` of the callback's inputs.
    var deviceAnswer: [String: String] = [:]
    /// Why the device did not do what it was asked last; the server went on all the same.
    var refusal: CommandFailure?
    /// The transaction that was signed, if it was one.
    var transaction: Transaction?
    /// What the server said without having the client wait, such as recovery codes; several lines each.
    var messages: [String] = []
    /// Whether the server offered a device to enrol with.
    var wasOfferedEnrolment = false
    /// The id of the WebAuthn key that was used last.
    var passkey: String?
    /// The number of the signature in the server's ledger, where the server says it.
    var evidence: Int64?

    /// Whether the proof that was accepted brought an attestation of its key.
    var isAttested: Bool {
      guard let jws = deviceAnswer["jws"], let proof = try? UnverifiedJWS(compact: jws) else { return false }
      return proof.header.jwk?["x5c"] != nil
    }
  }

  func play(_ name: String, forceAuth: Bool = false) async throws -> Outcome {
    try await SessionCookies.ofThisCommand.prepare(journey)
    let first = await journey.start(name) { $0.forceAuth = forceAuth }
    return try await finish(JourneyPlay(self, subject: "journey \(name)"), from: first)
  }

  /// Plays a journey for the token of its session.
  func token(by name: String) async throws -> String {
    let token = try await play(name).session.value
    guard token.isEmpty else { return token }
    throw CommandFailure.unsupported(
      "Journey \(printable(name)) succeeded without a session. Choose another with --journey.")
  }

  /// Plays the journey of a transaction.
  func play(transaction id: String) async throws -> Outcome {
    try await SessionCookies.ofThisCommand.prepare(journey)
    let play = JourneyPlay(self, subject: "the transaction", asked: AskedFor(isTransaction: true))
    return try await finish(play, from: await journey.start(transaction: id))
  }

  private func finish(_ play: JourneyPlay, from first: any Node) async throws -> Outcome {
    var play = play
    let result: Result<Outcome, any Error>
    do { result = .success(try await play.run(from: first)) } catch { result = .failure(error) }
    enrolmentTimeLeft(nil)
    await codeEnded(play.proof)
    return try result.get()
  }
}

/// What a journey has shown of the one-time code that it was given.
enum CodeProof: Sendable {
  /// No code was given.
  case notGiven
  /// The journey succeeded.
  case accepted
  /// The server refused the code.
  case refused
  /// A code was given, and the journey ended later or without an answer: the server may have taken it.
  case unknown
}
