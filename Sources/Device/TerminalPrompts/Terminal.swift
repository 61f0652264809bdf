internal import Concurrency
internal import Dispatch
package import Foundation
internal import TerminalText

/// Asks questions on the terminal that the program was started from, whatever its standard streams are connected to.
package struct Terminal: Sendable {
  /// The result of a question.
  package enum Answer: Sendable, Equatable {
    /// The line that was entered, without its end.
    case text(String)
    /// The input ended, a signal came, the time ran out, or the task was cancelled.
    case cancelled
    /// There is no terminal to ask on, for this reason.
    case unavailable(String)
  }

  /// The program's own terminal; a command in a test's process has another.
  @TaskLocal package static var controlling = Terminal { open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) }

  /// Asks one question at a time. It blocks while it waits for the person, so it is not on the cooperative pool.
  private static let queue = DispatchQueue(label: "com.sealring.terminal")

  /// Opens the device; returns its descriptor, or a negative number when there is none.
  private let openDevice: @Sendable () -> Int32
  private let clock: @Sendable () -> Date

  /// Whether the echo stays off from the first secret that is asked for until the program ends. For commands that return to a shell; a
  /// program that keeps reading needs its echo.
  package var keepsEchoOff: Bool {
    get { echoStaysOff.withLock { $0 } }
    nonmutating set { echoStaysOff.withLock { $0 = newValue } }
  }

  private let echoStaysOff = Locked(false)

  /// - Parameter clock: The time for the ends of questions.
  package init(
    clock: @escaping @Sendable () -> Date = { Date() }, openDevice: @escaping @Sendable () -> Int32
  ) {
    (self.clock, self.openDevice) = (clock, openDevice)
  }

  /// Shows `text` and reads a line; what is entered is shown only when `echoes`.
  ///
  /// Input before the last line of `text` is shown does not count: it answers a question that nobody had seen.
  ///
  /// The terminal is restored before this returns: after an answer, when the task is cancelled, and when a signal ends the program.
  ///
  /// - Parameter end: When the question expires, which is `.cancelled`; the time left is announced when it grows short, and `text` is then
  ///   shown again, because its beginning may have scrolled out of sight.
  package func ask(_ text: String, echoes: Bool, until end: Date? = nil) async -> Answer {
    lastQuestion.withLock { $0 = echoes ? .visible : .secret }
    let question = Question()
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard question.wait(continuation) else { return }
        Self.queue.async {
          guard let wakeUp = question.begin() else { return }
          question.end(
            conduct(
              TerminalText.folded(text), echoes: echoes,
              countdown: end.map { Countdown(until: $0, clock: clock) },
              wakeUp: wakeUp))
        }
      }
    } onCancel: {
      question.cancel()
    }
    if case .unavailable(let reason) = answer {
      lastUnasked.withLock { $0 = Unasked(reason: reason, isSecret: !echoes) }
    }
    return answer
  }

  /// A question that nobody could be asked.
  package struct Unasked: Sendable, Equatable {
    /// Why there is no terminal to ask on.
    package let reason: String
    /// Whether the question was for a PIN or a password.
    package let isSecret: Bool
  }

  /// The last question that nobody could be asked; `nil` when there was none. The code that asked may have had to report it as a
  /// cancellation.
  package var unasked: Unasked? { lastUnasked.withLock { $0 } }

  private let lastUnasked = Locked<Unasked?>(nil)

  /// What a question was for.
  package enum Asked: Sendable {
    /// A PIN or a password.
    case secret
    /// Text that is shown while it is typed.
    case visible
  }

  /// The kind of the last question; `nil` when nothing was asked. Says what was missing where only a cancellation could be reported.
  package var asked: Asked? { lastQuestion.withLock { $0 } }

  private let lastQuestion = Locked<Asked?>(nil)

  /// How many columns and rows the terminal has; `nil` without one.
  package var size: (columns: Int, rows: Int)? {
    let device = openDevice()
    guard device >= 0 else { return nil }
    defer { close(device) }
    var size = winsize()
    guard ioctl(device, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Whether the last question was taken away while it waited for a line: somebody may be typing a secret that nobody will read.
  private static let isLineUnfinished = Locked(false)

  /// How long to wait for the end of an unwanted line.
  private static let discardingTime = Duration.seconds(15)

  /// Reads and forgets the line that was being typed when the last question was taken away, so that a half-typed secret does not become the
  /// shell's next command. Also throws away input until the program ends. Waits only when a question was taken away, and gives up after 15
  /// seconds.
  package func discardUnfinishedLine() async {
    defer { HiddenEcho.discardAtEnd() }
    guard Self.isLineUnfinished.withLock({ $0 }) else { return }
    await withTaskGroup { group in
      group.addTask {
        _ = await ask(
          "The question is over. Press Return: what you were typing is thrown away. ", echoes: false)
      }
      group.addTask { try? await Task.sleep(for: Self.discardingTime) }
      await group.next()
      group.cancelAll()
    }
  }

  private func conduct(_ text: String, echoes: Bool, countdown: Countdown?, wakeUp: Int32) -> Answer {
    let device = openDevice()
    guard device >= 0 else { return .unavailable("the program has no terminal") }
    defer { close(device) }
    while true {
      let signals: SignalWatch
      do { signals = try SignalWatch() } catch { return .unavailable("signals cannot be watched") }
      let answer = read(
        device, text, echoes: echoes, countdown: countdown, wakeUp: wakeUp, signals: signals)
      // The terminal is restored: now the program gets the signal that interrupted the question.
      let signal = signals.finish()
      guard let signal else { return answer }
      HiddenEcho.release()
      kill(getpid(), signal)
      guard signal == SIGTSTP else { return .cancelled }
    }
  }

  private func read(
    _ device: Int32, _ text: String, echoes: Bool, countdown: Countdown?, wakeUp: Int32, signals: SignalWatch
  ) -> Answer {
    var now = termios()
    guard tcgetattr(device, &now) == 0 else { return .unavailable("it is not a terminal") }
    var before = HiddenEcho.settings(of: device) ?? now
    // Asking from the background would stop the whole program.
    let foreground = tcgetpgrp(device)
    guard foreground < 0 || foreground == getpgrp() else {
      return .unavailable("the program is in the background")
    }
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    if !echoes {
      guard tcsetattr(device, TCSAFLUSH, &hidden) == 0 else {
        return .unavailable("its echo cannot be switched off")
      }
      if keepsEchoOff { HiddenEcho.hold(device, settings: before) }
    } else if now.c_lflag != before.c_lflag {
      tcsetattr(device, TCSAFLUSH, &before)
    }
    defer {
      let isHeld = HiddenEcho.settings(of: device) != nil
      if isHeld {
        tcsetattr(device, TCSAFLUSH, &hidden)
      } else if !echoes {
        tcsetattr(device, TCSAFLUSH, &before)
      }
      if !echoes { write(text: "\n", to: device) }
    }
    // The line that asks is shown last, after earlier input is thrown away, so that the person sees it before answering.
    let question = text.lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
    write(text: String(text[..<question]), to: device)
    tcflush(device, TCIFLUSH)
    write(text: String(text[question...]), to: device)
    return line(
      from: device, asking: text, countdown: countdown, wakeUp: wakeUp, signals: signals)
  }

  private func line(
    from device: Int32, asking question: String, countdown: Countdown?, wakeUp: Int32, signals: SignalWatch
  ) -> Answer {
    var line: [UInt8] = []
    var countdown = countdown
    var buffer = [UInt8](repeating: 0, count: 1024)
    while line.count < 4096 {
      var waiting = [device, wakeUp, signals.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      var longest: Int32 = -1
      switch countdown?.next() {
      case nil: break
      case .wait(let milliseconds): longest = milliseconds
      case .say(let text):
        write(text: "\n\(text)\n\(question)", to: device)
        continue
      case .over:
        Self.isLineUnfinished.withLock { $0 = true }
        return .cancelled
      }
      let ready = poll(&waiting, nfds_t(waiting.count), longest)
      if ready < 0 {
        if errno == EINTR { continue }
        return .cancelled
      }
      if ready == 0 { continue }
      let isTakenAway = waiting[1].revents != 0
      Self.isLineUnfinished.withLock { $0 = isTakenAway }
      guard waiting[1].revents == 0, waiting[2].revents == 0 else { return .cancelled }
      let count = buffer.withUnsafeMutableBytes { Foundation.read(device, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // End of input, or the terminal is gone.
      guard count > 0 else { return .cancelled }
      line.append(contentsOf: buffer[..<count])
      if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
        return .text(String(decoding: line[..<end], as: UTF8.self))
      }
    }
    return .cancelled
  }

  private func write(text: String, to device: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(device, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

/// A question, from waiting for its turn until its answer.
private final class Question: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Terminal.Answer, Never>)
    /// Waking up the pipe ends the question.
    case asking(CheckedContinuation<Terminal.Answer, Never>, WakeUpPipe)
    case done
  }

  private let state = Locked(State.new)

  /// Joins the queue; `false` when the task has been cancelled already.
  func wait(_ continuation: CheckedContinuation<Terminal.Answer, Never>) -> Bool {
    let mayWait = state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !mayWait { continuation.resume(returning: .cancelled) }
    return mayWait
  }

  /// Begins the question's turn. Returns the descriptor that becomes readable when the question has to end; `nil` when it has ended
  /// already.
  func begin() -> Int32? {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return nil }
      guard let pipe = WakeUpPipe() else {
        state = .done
        continuation.resume(returning: .unavailable("no pipe can be made"))
        return nil
      }
      state = .asking(continuation, pipe)
      return pipe.readEnd
    }
  }

  func end(_ answer: Terminal.Answer) {
    state.withLock { state in
      guard case .asking(let continuation, let pipe) = state else { return }
      state = .done
      pipe.close()
      continuation.resume(returning: answer)
    }
  }

  func cancel() {
    state.withLock { state in
      switch state {
      case .new:
        state = .done
      case .waiting(let continuation):
        state = .done
        continuation.resume(returning: .cancelled)
      case .asking(_, let pipe):
        pipe.wakeUp()
      case .done:
        break
      }
    }
  }
}
