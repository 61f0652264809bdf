#if os(Linux)
  internal import Concurrency
  internal import Dispatch
  internal import UserVerification

  /// The questions of a PAM module and the person's answers during one verification.
  ///
  /// The module's thread waits here for the person, who answers in a task.
  final class Conversation: Sendable {
    /// The result of a question.
    private enum Reply {
      case secret(CredentialSecret)
      case nothing
    }

    private struct State {
      var isCancelled = false
      var failure: UserVerificationError?
      var delay = Duration.zero
      /// Ends the wait for the person, and takes the question away.
      var abandon: (@Sendable () -> Void)?
    }

    private let reason: String
    private let source: any CredentialSource
    private let state = Locked(State())

    init(reason: String, source: any CredentialSource) {
      self.reason = reason
      self.source = source
    }

    /// Whether nobody waits for the verification any more.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Why the module got no answer: the person refused, or their answer cannot be a credential.
    var failure: UserVerificationError? {
      get { state.withLock { $0.failure } }
      set { state.withLock { $0.failure = newValue } }
    }

    /// How long the module wants the next try to wait.
    var delay: Duration {
      get { state.withLock { $0.delay } }
      set { state.withLock { $0.delay = newValue } }
    }

    /// Asks the person, on PAM's thread; `nil` when there is no answer.
    func ask(_ prompt: String, echoes: Bool) -> CredentialSecret? {
      let question = CredentialQuestion(reason: reason, prompt: prompt, echoes: echoes)
      let reply = wait { [source] in await source.answer(to: question).map { .secret($0) } ?? .nothing }
      switch reply {
      case .secret(let secret): return secret
      case .nothing: failure = .canceled
      case nil: break
      }
      return nil
    }

    /// Shows a message, on PAM's thread.
    func show(_ message: String) {
      _ = wait { [source] in
        await source.show(message)
        return .nothing
      }
    }

    /// Ends the wait of the module's thread, and every later question at once.
    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        return state.abandon.take()
      }?()
    }

    /// Runs `body` in a task and holds this thread until it ends; `nil` when the conversation is cancelled first.
    private func wait(_ body: @escaping @Sendable () async -> Reply) -> Reply? {
      let answered = DispatchSemaphore(value: 0)
      let reply = Locked<Reply?>(nil)
      let task = Task {
        let value = await body()
        reply.withLock { $0 = value }
        answered.signal()
      }
      let isCancelled = state.withLock { state in
        state.abandon = {
          task.cancel()
          answered.signal()
        }
        return state.isCancelled
      }
      if isCancelled { task.cancel() } else { answered.wait() }
      return state.withLock { state in
        state.abandon = nil
        return state.isCancelled ? nil : reply.withLock { $0 }
      }
    }
  }
#endif
