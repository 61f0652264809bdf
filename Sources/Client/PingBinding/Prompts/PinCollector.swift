internal import Concurrency

/// Asks for the app's PIN.
public protocol PinCollector: AnyObject {
  /// Shows `prompt`, and calls `completion` with the PIN, or with `nil` when the person cancels.
  ///
  /// The first answer counts: a second one, and one that comes after the time limit, is ignored. A collector that never
  /// answers ends as `timeout`. Called on no particular thread.
  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void)

  /// Whether it shows all of ``Prompt/transaction`` whenever there is one, before the PIN is entered; `false` by default.
  ///
  /// When it is `false`, a transaction is signed only after ``DeviceBindingConfig/transactionConfirmation`` has shown it;
  /// without that, nothing is signed. The default collectors show transactions.
  var showsTransactions: Bool { get }
}

extension PinCollector {
  public var showsTransactions: Bool { false }
}

/// A collector that takes its prompt away when nobody waits for the answer any more.
public protocol CancellablePinCollector: PinCollector {
  /// Shows `prompt` and returns the PIN, or `nil` when the person cancels; called instead of the form with a completion.
  ///
  /// The time limit, or the app, cancels the task: take the prompt away then.
  func collectPin(prompt: Prompt) async -> String?
}

extension PinCollector {
  /// The PIN, `nil` when there is none: cancelled, or nothing entered.
  ///
  /// - Throws: `CancellationError` when this task is cancelled before the answer comes.
  func pin(prompt: Prompt) async throws -> String? {
    let answer: String?
    if let collector = self as? any CancellablePinCollector {
      let collector = Transferred(collector)
      // Only ours is known to return when it is told to: the terminal has to be put in order before we go on.
      answer = try await firstOf(
        { await collector.value.collectPin(prompt: prompt) }, orAfter: nil,
        abandoning: !(self is DefaultPinCollector))
    } else {
      let first = FirstAnswer<Result<String?, any Error>>()
      collectPin(prompt: prompt) { first.give(.success($0)) }
      answer = try await withTaskCancellationHandler {
        try await first.value.get()
      } onCancel: {
        first.give(.failure(CancellationError()))
      }
    }
    return answer.flatMap { $0.isEmpty ? nil : $0 }
  }
}
