internal import Concurrency

/// Something that happens once, and that a test waits for.
package final class Signal: Sendable {
  private let state = Locked<(happened: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

  package init() {}

  package func fire() {
    let waiting = state.withLock { state in
      state.happened = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  package func wait() async {
    await withCheckedContinuation { continuation in
      let happened = state.withLock { state in
        if !state.happened { state.waiting.append(continuation) }
        return state.happened
      }
      if happened { continuation.resume() }
    }
  }
}
