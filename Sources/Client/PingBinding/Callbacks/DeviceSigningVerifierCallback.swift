internal import BindingFormats
internal import Foundation
public import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate
public import SigningTransactions

/// Asks to sign with a key that was bound before. Call ``sign(config:)``, then go on to the next node, whatever it returned.
public class DeviceSigningVerifierCallback: AbstractCallback, JourneyAware, ContinueNodeAware, AnswerObserver,
  // Its stored properties are guarded.
  @unchecked Sendable
{
  @Guarded public var journey: Journey?
  @GuardedWeak public var continueNode: ContinueNode?

  /// The user as the server names it; `nil` when the server does not know the user yet.
  @Guarded public var userId: String?
  /// What is to be signed: random bytes, a text, or what stands for ``transaction``.
  @Guarded public var challenge: String = ""
  /// What the person is told.
  @Guarded public var title: String = ""
  @Guarded public var subtitle: String = ""
  @Guarded public var description: String = ""
  /// The time limit in seconds.
  @Guarded public var timeout: Int = 30

  /// What the last call failed with in detail, for example that a security chip is locked and for how long; `nil` after a
  /// success. The status that was returned is what apps decide by.
  @Guarded public private(set) var failure: (any Error)?

  /// What the person is asked to approve, when the server offers a transaction. ``sign(config:)`` shows all of it, and
  /// signs only when the challenge stands for it.
  public var transaction: Transaction? { offer.transaction }

  /// What the server says about ``transaction``: who made it, and until when it can be approved. The signature does not cover it.
  @Guarded public private(set) var transactionContext: TransactionContext?

  @Guarded private var offer: TransactionOffer = .none
  /// What waits for the server to accept the signature.
  @Guarded private var takeOver: KeyTakeOver?

  /// Takes one output.
  public override func initValue(name: String, value: Any) {
    switch name {
    case Constants.userId: userId = OutputValue.string(value).flatMap { $0.isEmpty ? nil : $0 }
    case Constants.challenge: challenge = OutputValue.string(value) ?? challenge
    case Constants.title: title = OutputValue.string(value) ?? title
    case Constants.subtitle: subtitle = OutputValue.string(value) ?? subtitle
    case Constants.description: description = OutputValue.string(value) ?? description
    case Constants.timeout: timeout = OutputValue.int(value) ?? timeout
    case BindingField.transaction:
      offer = TransactionOffer(output: value)
      transactionContext = TransactionOffer.context(output: value)
    default: break
    }
  }

  /// Sets the signed proof.
  public func setJws(_ jws: String) { set(Constants.jws, jws) }

  /// Sets what the server is told about a failure: the name of an outcome. After a failed ``sign(config:)`` it replaces the
  /// usual one.
  public func setClientError(_ clientError: String) { set(Constants.clientError, clientError) }

  /// Signs the server's challenge with the user's key and fills in the callback's inputs.
  ///
  /// When there are several keys, ``DeviceBindingConfig/userKeySelector`` is asked. How the key is unlocked was decided when
  /// it was bound. A ``transaction`` is shown before: by the PIN's prompt, by
  /// ``DeviceBindingConfig/transactionConfirmation``, or on the terminal. Then, and only then, the signature has the claim
  /// `txn` with its id.
  ///
  /// - Returns: The callback's JSON with its inputs filled, or a ``DeviceBindingStatus``; the inputs then tell the server
  ///   what failed. It does not throw.
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
      setJws(answer.jws)
      setClientError("")
      failure = nil
      return .success(payload())
    } catch {
      let status = DeviceBindingStatus(cause: error)
      failure = error
      dependencies.logger.w("Signing failed (\(status.clientError))", error: error)
      setJws("")
      setClientError(error is TransactionMismatch ? TransactionMismatch.clientError : status.clientError)
      return .failure(status)
    }
  }

  /// What the person is shown of `challenge`: a transaction and a text in full, random bytes not at all.
  private func prompt(for challenge: Challenge?) -> Prompt {
    var prompt = Prompt(title: title, subtitle: subtitle, description: description)
    switch challenge {
    case .transaction(let offer):
      prompt = prompt.showing(offer.transaction)
      prompt.transactionContext = transactionContext
    case .text(let text): prompt.signedText = text
    case .random, nil: break
    }
    return prompt
  }

  /// Lets the server that accepted the signature have the key, where nobody knew whose it is.
  public func answered(with node: any Node) async {
    // Nobody knows whether the server received the answer; it may be sent again.
    if node is FailureNode { return }
    defer { takeOver = nil }
    if node is SuccessNode { await takeOver?.complete() }
  }

  /// The id of the transaction that the journey was started for.
  private var expectedTransaction: String? {
    continueNode?.context.flowContext.get(key: JourneyConstants.transactionId) as? String
  }

  /// Signs with `authenticator` in place of the one of the key's authentication type.
  @discardableResult
  nonisolated(nonsending) public func sign(
    authenticator: any DeviceAuthenticator
  ) async -> Result<[String: Any], any Error> {
    await sign { $0.deviceAuthenticator = authenticator }
  }

  private func set(_ input: String, _ value: String) {
    setInput(input, to: value, logger: BindingModule.logger(for: journey))
  }
}
