internal import BindingFormats
internal import Foundation
internal import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate
public import SigningTransactions

/// Asks to sign with a key that was bound before. Call ``sign(config:)``, then continue to the next node, whatever the result.
// Its stored properties are guarded.
public class DeviceSigningVerifierCallback: BindingCallback, AnswerObserver, @unchecked Sendable {
  /// The user as the server names it; `nil` when the server does not know the user yet.
  @Guarded public var userId: String?
  /// The time limit in seconds.
  @Guarded public var timeout: Int = 30

  /// The transaction that the person is asked to approve, when the server offers one. ``sign(config:)`` shows it completely, and
  /// signs only when the challenge matches it.
  public var transaction: Transaction? { offer.transaction }

  /// The server's statements about ``transaction``: who made it, and until when it can be approved. The signature does not cover
  /// them.
  @Guarded public private(set) var transactionContext: TransactionContext?

  @Guarded private var offer: TransactionOffer = .none
  /// The step that follows when the server accepts the signature.
  @Guarded private var takeOver: KeyTakeOver?

  public override func initValue(name: String, value: Any) {
    switch name {
    case Constants.userId: userId = OutputValue.string(value).flatMap { $0.isEmpty ? nil : $0 }
    case Constants.timeout: timeout = OutputValue.int(value) ?? timeout
    case BindingField.transaction:
      offer = TransactionOffer(output: value)
      transactionContext = TransactionOffer.context(output: value)
    default: super.initValue(name: name, value: value)
    }
  }

  /// Signs the server's challenge with the user's key and fills in the callback's inputs.
  ///
  /// When there are several keys, ``DeviceBindingConfig/userKeySelector`` chooses. How the key is unlocked was decided when it
  /// was bound. A ``transaction`` is shown first: by the PIN's prompt, by ``DeviceBindingConfig/transactionConfirmation``, on the
  /// terminal, or in an alert. Only then does the signature have the claim `txn` with its id. A challenge that is a text is shown and
  /// approved, too (``DeviceBindingConfig/textConfirmation``). Content that cannot be shown is not signed.
  ///
  /// - Returns: The callback's JSON with its inputs filled, or a ``DeviceBindingStatus``; the inputs then tell the server about
  ///   the failure.
  @discardableResult
  nonisolated(nonsending) public func sign(
    config: (DeviceBindingConfig) -> Void = { _ in }
  ) async -> Result<[String: Any], any Error> {
    let configuration = DeviceBindingConfig()
    configuration.serverTimeout = timeout > 0 ? timeout : 30
    config(configuration)
    let asked = Result { () throws(TransactionMismatch) in
      try offer.challenge(wire: challenge, expectedID: expectedTransaction)
    }
    takeOver = nil
    let dependencies = BindingDependencies(
      config: configuration, prompt: prompt(for: try? asked.get()), journey: journey, timeout: timeout,
      defaultTimeout: 30)
    do {
      let request = SignFlow.Request(userID: userId, challenge: try asked.get())
      let answer = try await SignFlow(request: request, dependencies: dependencies).run()
      takeOver = answer.takeOver
      return succeed(answer.jws)
    } catch {
      return fail(
        "Signing", error, clientError: error is TransactionMismatch ? TransactionMismatch.clientError : nil,
        logger: dependencies.logger)
    }
  }

  /// The prompt for `challenge`: it shows a transaction or a text completely, and random bytes not at all.
  private func prompt(for challenge: Challenge?) -> Prompt {
    var prompt = Prompt(title: title, subtitle: subtitle, description: description)
    switch challenge {
    case .transaction(let offer):
      prompt = prompt.showing(offer.transaction)
      prompt.transactionContext = transactionContext
    case .text(let text): prompt = prompt.showing(text: text)
    case .random, nil: break
    }
    return prompt
  }

  /// Records the server that accepted the signature as the key's server, unless the key has one.
  public func answered(with node: any Node) async {
    // Whether the server received the answer is unknown, and the app may send it again.
    if node is FailureNode { return }
    defer { takeOver = nil }
    if node is SuccessNode { await takeOver?.complete() }
  }

  /// The id of the transaction that the journey was started for.
  private var expectedTransaction: String? {
    continueNode?.context.flowContext.get(key: JourneyConstants.transactionId) as? String
  }

  /// Signs with `authenticator` instead of the default authenticator of the key's authentication type.
  @discardableResult
  nonisolated(nonsending) public func sign(
    authenticator: any DeviceAuthenticator
  ) async -> Result<[String: Any], any Error> {
    await sign { $0.deviceAuthenticator = authenticator }
  }
}
