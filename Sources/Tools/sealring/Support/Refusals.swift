import Foundation
import PingBinding
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import SigningTransactions

/// The kinds of answers that a journey has asked a user or device for.
struct AskedFor {
  /// The kinds, each with possible faults of its answer.
  private enum Kind: String, CaseIterable {
    /// A transaction that the user named by its id.
    case transaction = "an id that is wrong, or a transaction for another account"
    case wait = "denied or not answered on the push device"
    case code = "a code that is wrong, used or too old"
    case signature = "a key that the server no longer has"
    case password = "name or password wrong"

    init?(_ callback: any Callback) {
      switch callback {
      case is PasswordCallback, is ValidatedPasswordCallback: self = .password
      case let callback as NameCallback where callback.prompt.lowercased().contains("code"): self = .code
      case is DeviceSigningVerifierCallback, is DeviceBindingCallback: self = .signature
      case is PollingWaitCallback: self = .wait
      default: return nil
      }
    }
  }

  private var kinds: Set<Kind>

  init(isTransaction: Bool = false) { kinds = isTransaction ? [.transaction] : [] }

  mutating func note(_ callbacks: [any Callback]) { kinds.formUnion(callbacks.compactMap { Kind($0) }) }

  /// The possible reasons for a refusal without one: servers reveal no more to users than to thieves.
  var possibleReasons: String {
    let hasPasswordOnly = kinds.subtracting([.transaction]) == [.password]
    return
      (Kind.allCases.filter(kinds.contains).map(\.rawValue)
      + (hasPasswordOnly ? ["an account without a device for this journey"] : [])
      + ["an account that is disabled, or locked for a while after wrong tries"]).joined(separator: "; ")
  }
}

/// Explains a server's refusal to the user, with the next step.
enum Refusals {
  /// - Parameters:
  ///   - subject: `journey SignIn`, `the transaction`.
  ///   - onDevice: Why this device could not answer; the server's refusal only follows from that.
  static func failure(
    _ error: ErrorNode, subject: String, address: String, asked: AskedFor = AskedFor(),
    onDevice: CommandFailure? = nil
  ) -> CommandFailure {
    if let needed = error.neededStepUp { return .forbidden(StepUpOptions.advice(needed)) }
    // The user or the device ended the journey; the server's refusal only follows from that.
    if let onDevice { return onDevice }
    let code = (error.input["detail"] as? [String: Any])?["errorCode"] as? String
    switch code.flatMap(TransactionRefusal.init(rawValue:)) {
    case .expired: return .transactionExpired
    case .decided:
      return .conflict(
        "This transaction was approved or refused before. If that was not you, tell the application; it has to make a new one."
      )
    case nil: break
    }
    let said = sentence(printable(error.message.isEmpty ? "status \(error.status ?? 0)" : error.message))
    return switch (error.reason, error.status) {
    case (.sessionTimedOut, _), (.requestTimedOut, _), (.suspensionExpired, _):
      .expired(
        "The time for \(subject) had run out, or its step was already answered. This answer did nothing; run the command again."
      )
    case (_, 401):
      .refused(
        "The server refused \(subject): \(said) It gives clients no details; its log has the reason. Possible: \(asked.possibleReasons)."
      )
    case (_, 404) where error.message.contains("resource"):
      .notFound(
        "There is no journey server at that address: \(said)\(MissingPath.hint(for: address)) Check --server."
      )
    case (_, 404): .notFound("\(said) Check --realm.")
    case (_, 400) where error.message.contains("no such journey"):
      .notFound(
        "\(said) Check the name of the journey, and --realm. If its file is there, the server's log says why it did not load; so "
          + "does sealring journey check."
      )
    case (_, 400): .invalid("The server does not accept the request: \(said)")
    case (_, 429), (_, 503): .busy("The server is busy: \(said) Try again in a moment.")
    case (_, let status):
      CommandFailure(
        "The server answered \(status ?? 0): \(said) Its log has the reason.",
        code: CommandFailure.code(forStatus: status ?? 0))
    }
  }

  /// The failure for a missing or unusable answer.
  static func failure(_ error: any Error, at address: String) -> CommandFailure {
    if case ApiError.error(let status, _, let text) = error {
      return CommandFailure(
        "The server answered \(status): \(sentence(printable(String(text.prefix(200))))) Try again; its log has the reason.",
        code: CommandFailure.code(forStatus: status))
    }
    return .unreachable(at: address, error)
  }
}

extension CommandFailure {
  /// The failure when an answer is needed and there is no terminal.
  static func nobodyToAsk(_ what: String, _ reason: String, _ advice: String) -> CommandFailure {
    CommandFailure.unsupported(
      ["\(what), and nobody can be asked: \(reason).", advice].filter { !$0.isEmpty }.joined(separator: " "))
  }

  static let transactionExpired = CommandFailure.expired(
    "The time to approve this transaction is over. Its application has to make a new one.")

  static func unreachable(at address: String, _ error: any Error) -> CommandFailure {
    unsent(error)
      ?? CommandFailure.unreachable(
        "The server cannot be reached at \(printable(address)): \(PlainReason.of(error)) Check --server and that it runs (`sealring serve`)."
      )
  }

  /// The failure for a name that does not exist on this device; `command` lists the existing ones.
  static func missing(_ what: String, command: String) -> CommandFailure {
    CommandFailure.notFound("There is no \(what) on this device. `\(command)` shows what there is.")
  }

  static func cancelled(because what: String) -> CommandFailure {
    CommandFailure.cancelled("Cancelled: \(what). Run the command again when ready.")
  }
}
