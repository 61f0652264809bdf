internal import Concurrency
internal import Crypto
package import DeviceKeys
package import Foundation
package import PersonPrompts

/// Opens keys after a person agreed. It asks one question at a time, whichever socket it comes from.
///
/// It keeps no key, unless ``AgentPolicy/remembersFor`` is set: then it keeps an opened key for that long, for one program and purpose.
package actor AgentQuestions {
  /// The properties that have to be the same for a remembered answer to hold.
  private struct Sameness: Hashable {
    let purpose: String
    let tag: String
    let executable: String
    let parts: [[UInt8]]
  }

  private struct Remembered {
    let key: any DeviceKey
    let use: KeyUse
    let end: Date
  }

  /// Why a key was not opened.
  package struct Refusal: Error, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
  }

  package nonisolated let log: AgentLog
  private let prompt: any PersonPrompt
  private let policy: AgentPolicy
  private let clock: @Sendable () -> Date
  private let turn = AsyncMutex()
  /// The number of waiting requests of each process.
  private var waiting: [Int32: Int] = [:]
  private var asking: (question: PersonQuestion, end: Date, task: Task<PersonAnswer, Never>)?
  private var remembered: [Sameness: Remembered] = [:]
  /// The number of refusals in a row of each program, and the time of the last one.
  private var refusals: [String: (count: Int, last: Date)] = [:]
  /// Counts how often everything was forgotten. An answer to a question from before does not count.
  private var generation = 0
  /// The hash of the passphrase that unlocks the agent; `nil` when it is not locked.
  private var lock: SHA256.Digest?
  /// How many wrong passphrases came in a row, from whatever process, and the time of the last one.
  private var wrongPassphrases = (count: 0, last: Date.distantPast)

  package init(
    prompt: any PersonPrompt, policy: AgentPolicy = AgentPolicy(), log: AgentLog,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.prompt, self.policy, self.log, self.clock) = (prompt, policy, log, clock)
  }

  // MARK: Uses

  /// Opens the key and uses it, and logs the outcome. `nil` when the use is refused or fails.
  package func perform<Result: Sendable>(
    _ use: KeyUse, _ body: @Sendable (any DeviceKey) async throws -> Result
  ) async -> Result? {
    do {
      let process = use.caller.process
      guard allWaiting < AgentPolicy.longestQueue, waiting[process] ?? 0 < AgentPolicy.longestQueueOfProcess
      else { throw Refusal("too many requests wait") }
      waiting[process, default: 0] += 1
      defer { waiting[process] = waiting[process].flatMap { $0 > 1 ? $0 - 1 : nil } }
      let before = generation
      let key = try await turn.withLock { try await open(use, before) }
      guard before == generation else { throw Refusal("the agent was locked meanwhile") }
      let result = try await body(key)
      log.note(use, .done)
      return result
    } catch let refusal as Refusal {
      log.note(use, .refused, reason: refusal.reason)
    } catch {
      log.note(use, .failed, reason: error.localizedDescription)
    }
    return nil
  }

  private var allWaiting: Int { waiting.values.reduce(0, +) }

  private func open(_ use: KeyUse, _ before: Int) async throws -> any DeviceKey {
    // While the request waited for its turn, its caller may have gone, the agent may have been locked, or the same use may have been
    // allowed.
    guard before == generation else { throw Refusal("the agent was locked meanwhile") }
    guard !Task.isCancelled else { throw Refusal("the program is gone") }
    guard lock == nil else { throw Refusal("the agent is locked") }
    let now = clock()
    remembered = remembered.filter { $0.value.end > now }
    let same = sameness(of: use)
    if let same, let known = remembered[same] { return known.key }
    guard !isPaused(use.caller) else {
      throw Refusal(
        "the program was refused \(AgentPolicy.refusals) times in a row, and has to wait for a minute")
    }
    let key = try await ask(use, holds: same == nil ? 0 : policy.remembersFor)
    refusals[use.caller.executable ?? ""] = nil
    if let same, before == generation { remember(key, use, for: same) }
    return key
  }

  private func sameness(of use: KeyUse) -> Sameness? {
    guard policy.remembersFor > 0, let parts = use.sameness, let executable = use.caller.executable else {
      return nil
    }
    return Sameness(purpose: use.purpose, tag: use.key.tag, executable: executable, parts: parts)
  }

  /// Whether nobody is asked for this program now, on any connection.
  private func isPaused(_ caller: Caller) -> Bool {
    let program = caller.executable ?? ""
    guard let (count, last) = refusals[program], count >= AgentPolicy.refusals else { return false }
    // A clock that was set back does not make the pause longer.
    if (0..<AgentPolicy.pause).contains(clock().timeIntervalSince(last)) { return true }
    refusals[program] = nil
    return false
  }

  /// Counts a refusal of a question that was shown.
  private func refusal(of use: KeyUse, _ reason: String) -> Refusal {
    let now = clock()
    refusals = refusals.filter { now.timeIntervalSince($0.value.last) < 10 * AgentPolicy.pause }
    refusals[use.caller.executable ?? "", default: (0, now)].count += 1
    refusals[use.caller.executable ?? ""]?.last = now
    return Refusal(reason)
  }

  private func ask(_ use: KeyUse, holds: TimeInterval) async throws -> any DeviceKey {
    let end = clock().addingTimeInterval(policy.questionTime)
    let token = try await use.store.token(ofKey: use.key.tag)
    let validity =
      holds > 0 ? "the same again from this program for \(Int(holds / 60)) minutes" : "this time only"
    var facts = [PersonQuestion.Fact("Program", use.caller.text)] + use.facts
    facts.append(PersonQuestion.Fact("Key", use.keyName))
    if let token { facts.append(PersonQuestion.Fact("Token", token.text)) }
    facts.append(PersonQuestion.Fact("Good for", validity))
    var question = PersonQuestion(
      title: use.title, action: use.action, facts: facts, needsPIN: use.key.protection == .applicationPIN,
      terminal: use.caller.terminal)
    for _ in 0..<AgentPolicy.tries {
      let answer = await answer(to: question, until: end)
      // Counts as a refusal: questions that come and go wait for an answer that was meant for another.
      guard !Task.isCancelled else { throw refusal(of: use, "the program is gone") }
      switch answer {
      case .no: throw refusal(of: use, "nobody agreed")
      case .nobody(let reason): throw Refusal("nobody can be asked: \(reason)")
      case .yes, .finger:
        guard !question.needsPIN else { throw refusal(of: use, "there was no PIN") }
        return try await use.store.openKey(tag: use.key.tag, unlock: .nothing)
      case .pin(let pin):
        do { return try await use.store.openKey(tag: use.key.tag, unlock: .pin(pin)) } catch DeviceKeyError
          .wrongPIN
        {
          let tries = try? await use.store.pinTries(tag: use.key.tag)
          // A PIN entered now would be ignored.
          if let locked = tries?.refusal(ofKey: use.key.tag) {
            throw refusal(of: use, locked.localizedDescription)
          }
          question.remark = "The PIN is wrong." + (tries.map { " Tries left: \($0.left)." } ?? "")
        }
      }
    }
    throw refusal(of: use, "the PIN was wrong \(AgentPolicy.tries) times")
  }

  private func answer(to question: PersonQuestion, until end: Date) async -> PersonAnswer {
    log.beginQuestion()
    let task = Task { [prompt] in await prompt.ask(question, until: end) }
    asking = (question, end, task)
    // The prompt knows the time limit, too; one that ignores it is ended, because other questions wait.
    let left = Duration.seconds(max(0, end.timeIntervalSince(clock())))
    let alarm = Task {
      try await Task.sleep(for: left)
      task.cancel()
    }
    defer {
      alarm.cancel()
      asking = nil
      log.endQuestion()
    }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func remember(_ key: any DeviceKey, _ use: KeyUse, for same: Sameness) {
    let end = clock().addingTimeInterval(policy.remembersFor)
    remembered[same] = Remembered(key: key, use: use, end: end)
    // Removes the key from memory even when nobody asks again.
    let time = Duration.seconds(policy.remembersFor)
    Task { [weak self] in
      try? await Task.sleep(for: time)
      await self?.forget(same, until: end)
    }
  }

  private func forget(_ same: Sameness, until end: Date) {
    if let known = remembered[same], known.end <= end { remembered[same] = nil }
  }

  // MARK: Locking

  package var isLocked: Bool { lock != nil }

  /// Locks with a passphrase and forgets everything; `false` when the agent is locked already.
  package func lock(with passphrase: [UInt8]) -> Bool {
    guard lock == nil else { return false }
    lock = SHA256.hash(data: passphrase)
    forgetAll()
    return true
  }

  /// Unlocks; `false` for another passphrase, and for any during the pause after wrong ones. The pause holds for all processes, because a
  /// program that guesses starts as many as it likes.
  package func unlock(with passphrase: [UInt8]) -> Bool {
    guard let lock else { return false }
    let (now, extra) = (clock(), wrongPassphrases.count - AgentPolicy.passphrases)
    if extra >= 0 {
      let pause = min(AgentPolicy.pause, pow(2, Double(extra)))
      // A clock that was set back ends the pause.
      guard !(0..<pause).contains(now.timeIntervalSince(wrongPassphrases.last)) else { return false }
    }
    // Digests compare in constant time.
    guard lock == SHA256.hash(data: passphrase) else {
      wrongPassphrases = (wrongPassphrases.count + 1, now)
      return false
    }
    self.lock = nil
    wrongPassphrases.count = 0
    return true
  }

  /// Forgets all answers, takes the current question away, and refuses the requests that wait behind it.
  ///
  /// - Returns: How many answers were forgotten.
  @discardableResult package func forgetAll() -> Int {
    generation += 1
    asking?.task.cancel()
    defer { remembered = [:] }
    return remembered.count
  }

  // MARK: Status

  /// The current question and the remembered answers.
  ///
  /// `question` is the current question and when it expires. `waiting` counts the waiting requests, with that one. `remembered` are the
  /// uses that are not asked for again, and until when.
  package typealias Status = (
    isLocked: Bool, question: (question: PersonQuestion, end: Date)?, waiting: Int,
    remembered: [(use: KeyUse, end: Date)]
  )

  package var status: Status {
    let now = clock()
    let known = remembered.values.filter { $0.end > now }.sorted { $0.end < $1.end }
    let question = asking.map { (question: $0.question, end: $0.end) }
    return (isLocked, question, allWaiting, known.map { ($0.use, $0.end) })
  }
}
