internal import Concurrency
public import Foundation
internal import PingBinding

/// Asks for the app's PIN.
public protocol PinCollector: AnyObject {
  /// Shows `prompt`, and calls `completion` with the PIN, or with `nil` when the person cancels. Only the first answer
  /// counts. Called on no particular thread.
  func collectPin(prompt: Prompt, completion: @escaping (String?) -> Void)

  /// Whether the collector shows the complete description of the prompt, which contains the transaction to sign. By default
  /// `false`: then PingBinding's `transactionConfirmation` has to show the transaction.
  var showsTransactions: Bool { get }
}

extension PinCollector {
  public var showsTransactions: Bool { false }
}

/// Asks for the PIN on the program's terminal, without echo.
public class DefaultPinCollector: NSObject, PinCollector {
  public override init() { super.init() }

  public var showsTransactions: Bool { true }

  public func collectPin(prompt: Prompt, completion: @escaping (String?) -> Void) {
    let answer = Transferred(completion)
    PingBinding.DefaultPinCollector().collectPin(
      prompt: PingBinding.Prompt(
        title: prompt.title, subtitle: prompt.subtitle, description: prompt.description)
    ) { answer.value($0) }
  }
}

/// Adapts an app's collector to PingBinding.
final class CollectorAdapter: PingBinding.PinCollector {
  private let collector: any PinCollector

  init(_ collector: any PinCollector) { self.collector = collector }

  var showsTransactions: Bool { collector.showsTransactions }

  func collectPin(prompt: PingBinding.Prompt, completion: @escaping @Sendable (String?) -> Void) {
    collector.collectPin(prompt: Prompt(prompt), completion: completion)
  }
}
