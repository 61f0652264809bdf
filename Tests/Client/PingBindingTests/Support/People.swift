import Concurrency
import PingBinding
import CommonFixtures

/// Answers with one PIN after the other; `nil` cancels.
final class ScriptedPIN: PinCollector, Sendable {
  private let answers: Locked<[String?]>
  private let asked = Locked<[Prompt]>([])

  let showsTransactions: Bool

  init(_ answers: String?..., showsTransactions: Bool = true) {
    self.answers = Locked(answers)
    self.showsTransactions = showsTransactions
  }

  var prompts: [Prompt] { asked.withLock { $0 } }

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    asked.withLock { $0.append(prompt) }
    completion(answers.withLock { $0.isEmpty ? nil : $0.removeFirst() })
  }
}

/// Takes the question and does not answer by itself.
final class StallingPIN: PinCollector, Sendable {
  let asked = Signal()
  private let pending = Locked<(@Sendable (String?) -> Void)?>(nil)

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    pending.withLock { $0 = completion }
    asked.fire()
  }

  func answer(_ pin: String?) { pending.withLock { $0 }?(pin) }
}

/// Chooses by a rule, and remembers what was shown.
final class ScriptedSelector: UserKeySelector, Sendable {
  private let choose: @Sendable ([UserKey]) -> UserKey?
  private let seen = Locked<[[UserKey]]>([])

  init(_ choose: @escaping @Sendable ([UserKey]) -> UserKey?) { self.choose = choose }

  var shown: [[UserKey]] { seen.withLock { $0 } }

  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
    seen.withLock { $0.append(userKeys) }
    return choose(userKeys)
  }
}

/// Takes the question and never answers, even when its task is cancelled.
final class StallingSelector: UserKeySelector, Sendable {
  let asked = Signal()

  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
    asked.fire()
    // An app's bug: nobody ever fires this.
    await Signal().wait()
    return userKeys.first
  }
}
