/// Holds one answer that several callers may give: the first counts, later ones are ignored.
///
/// At most one task may wait for it.
package final class FirstAnswer<Answer: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Answer, Never>)
    case given(Answer)
  }

  private let state = Locked(State.open)

  package init() {}

  /// Gives `answer`; returns whether it was the first.
  @discardableResult
  package func give(_ answer: Answer) -> Bool {
    let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Answer, Never>?) in
      switch state {
      case .given: return (false, nil)
      case .open:
        state = .given(answer)
        return (true, nil)
      case .awaited(let continuation):
        state = .given(answer)
        return (true, continuation)
      }
    }
    waiting?.resume(returning: answer)
    return isFirst
  }

  /// The first answer, as soon as it is given.
  package var value: Answer {
    get async {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Answer? in
          if case .given(let answer) = state { return answer }
          state = .awaited(continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    }
  }
}
