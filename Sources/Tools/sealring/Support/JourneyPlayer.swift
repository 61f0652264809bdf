import DeviceKeys
import JOSE
import PingBinding
import PingFido
import SecurityKeys
import PingJourney
import PingOrchestrate
import SigningTransactions
import StrictJSON

/// Plays a journey to its end with the answers of a command.
struct JourneyPlayer {
  var journey: Journey
  let username: String?
  let secrets: Secrets

  /// Answers a TextInputCallback, such as the transaction to sign; `nil` when the command has none.
  var text: String?

  /// How to answer the two binding callbacks.
  var configureBinding: @Sendable (DeviceBindingConfig) -> Void = { _ in }

  /// Further settings for a signing callback, based on the server's context of its transaction.
  var configureSigning: @Sendable (DeviceBindingConfig, TransactionContext?) -> Void = { _, _ in }

  /// Shows the data to sign; `nil` for commands that use no bound key.
  var question: TransactionQuestion?

  /// Returns the remaining PIN tries; `nil` when unknown.
  var triesLeft: @Sendable () async -> PINTries? = { nil }

  /// Returns the failure when all keys of this device belong to other servers or realms.
  var keysElsewhere: @Sendable () async -> CommandFailure? = { nil }

  /// Handles an enrolment that the server offers, once for each offer.
  var offerEnrolment: @Sendable (_ uri: String) async throws -> Void = { _ in throw offersEnrolment }

  /// The failure of a journey that offers an enrolment to a command that cannot enrol.
  static let offersEnrolment = CommandFailure.notFound(
    "The account has no device for this journey, and the server offers to enrol one. Nothing was enrolled: `sealring push qr` "
      + "shows the code to a push device, then run this again."
  )

  /// Makes a one-time code that the journey asks for; `nil` when the user must type it.
  var makeCode: @Sendable (_ prompt: String) async throws -> String? = { _ in nil }

  /// Called at the end of the journey with the result of the codes.
  var codeEnded: @Sendable (CodeProof) async -> Void = { _ in }

  /// Called in each step with the seconds left for the enrolment on the screen; `nil` when there is none, or the server does not
  /// report it.
  var enrolmentTimeLeft: @Sendable (_ seconds: Int?) -> Void = { _ in }

  /// Waits as long as the server asks.
  var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// The configuration for WebAuthn callbacks; `nil` for commands that do not answer them.
  var passkeys: FidoConfig?
  #if os(Linux)
    /// Signs when this machine has none of the passkeys that the server names; `nil` leaves that to ``passkeys``.
    var confirmingKey: SecurityKeyAuthenticator?
  #endif

  /// Answers the callback that asks for the device's profile.
  var profile = DeviceProfileAnswers()

  /// The device's name for binding or registering a key.
  var deviceName: String?

  /// The result of a journey that succeeded.
  struct Outcome {
    var session: any Session = EmptySession()
    /// The latest answer of `bind()` or `sign()`, as `name: value` of the callback's inputs.
    var deviceAnswer: [String: String] = [:]
    /// The latest reason why the device refused, although the server continued.
    var refusal: CommandFailure?
    /// The signed transaction, if any.
    var transaction: Transaction?
    /// The server's messages outside of waiting steps, such as recovery codes; each may have several lines.
    var messages: [String] = []
    /// Whether the server offered to enrol a device.
    var wasOfferedEnrolment = false
    /// The id of the last used WebAuthn key.
    var passkey: String?
    /// The number of the signature in the server's ledger, if the server reports it.
    var evidence: Int64?

    /// Whether the accepted proof included an attestation of its key.
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

  /// Plays a journey, and returns the token of its session.
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

/// The result of the one-time code in a journey.
enum CodeProof: Sendable {
  /// No code was given.
  case notGiven
  /// The journey succeeded.
  case accepted
  /// The server refused the code.
  case refused
  /// A code was given, but the journey ended later or without an answer: the server may have accepted the code.
  case unknown
}
