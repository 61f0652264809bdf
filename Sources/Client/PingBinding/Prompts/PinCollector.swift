internal import Concurrency

/// Asks for the app's PIN.
public protocol PinCollector: AnyObject {
  /// Shows `prompt`, and calls `completion` with the PIN, or with `nil` when the person cancels.
  ///
  /// Only the first answer counts, and only within the time limit. A collector that never answers ends as `timeout`. Called on
  /// no particular thread.
  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void)

  /// Whether the collector shows all of ``Prompt/transaction`` or ``Prompt/signedText`` whenever there is one, before the PIN is entered;
  /// `false` by default.
  ///
  /// When it is `false`, a transaction is signed only after ``DeviceBindingConfig/transactionConfirmation`` has shown it;
  /// without that, it is not signed. A text is then shown by ``DeviceBindingConfig/textConfirmation``, on the terminal, or in an alert. The
  /// default collectors show both.
  var showsTransactions: Bool { get }
}

extension PinCollector {
  public var showsTransactions: Bool { false }
}

/// A collector that removes its prompt when the answer is no longer awaited.
public protocol CancellablePinCollector: PinCollector {
  /// Shows `prompt` and returns the PIN, or `nil` when the person cancels; called instead of the form with a completion.
  ///
  /// When the time limit or the app cancels the task, remove the prompt.
  func collectPin(prompt: Prompt) async -> String?
}

extension PinCollector {
  /// The PIN; `nil` when the person cancels or enters nothing.
  ///
  /// - Throws: `CancellationError` when this task is cancelled before the answer comes.
  func pin(prompt: Prompt) async throws -> String? {
    let answer: String?
    if let collector = self as? any CancellablePinCollector {
      let collector = Transferred(collector)
      // Only the default collector is known to return when cancelled; it restores the terminal first.
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
