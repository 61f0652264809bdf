internal import Concurrency
public import Foundation
internal import PingBinding

/// Asks for the app's PIN.
public protocol PinCollector: AnyObject {
  /// Shows `prompt`, and calls `completion` with the PIN, or with `nil` when the person cancels. The first answer counts.
  /// Called on no particular thread.
  func collectPin(prompt: Prompt, completion: @escaping (String?) -> Void)

  /// Whether it shows all of the prompt's description, which has what is signed when that is a transaction; `false` by
  /// default, and then PingBinding's `transactionConfirmation` has to show it.
  var showsTransactions: Bool { get }
}

extension PinCollector {
  public var showsTransactions: Bool { false }
}

/// Asks for the PIN on the program's terminal; what is entered is not shown.
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

/// An app's collector, as PingBinding asks it.
final class CollectorAdapter: PingBinding.PinCollector {
  private let collector: any PinCollector

  init(_ collector: any PinCollector) { self.collector = collector }

  var showsTransactions: Bool { collector.showsTransactions }

  func collectPin(prompt: PingBinding.Prompt, completion: @escaping @Sendable (String?) -> Void) {
    collector.collectPin(prompt: Prompt(prompt), completion: completion)
  }
}
