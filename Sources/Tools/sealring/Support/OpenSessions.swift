import Concurrency
import PingJourney
import PingOrchestrate

/// The sessions that a command has opened. Those that it opened only for itself end with it, so that nobody finds them later; a command
/// whose purpose is to sign in keeps them.
final class OpenSessions: Sendable {
  /// Those of the command that this task runs.
  @TaskLocal static var ofThisCommand = OpenSessions()

  private let journeys = Locked<[Journey]>([])
  private let saysEnd = Locked(false)

  func add(_ journey: Journey) { journeys.withLock { $0.append(journey) } }

  /// Has the person told that the sessions have ended, once they have.
  func tellEnd() { saysEnd.withLock { $0 = true } }

  /// Leaves the sessions opened so far to the reader of the command's output.
  func keep() { journeys.withLock { $0 = [] } }

  /// Ends the sessions. One that cannot be ended expires by itself, and the person is told.
  func end() async {
    let open = journeys.withLock { open in
      defer { open = [] }
      return open
    }
    var isEnded = !open.isEmpty
    for journey in open {
      do { try await journey.signOff().get() } catch {
        isEnded = false
        Output.remark(Self.notEnded(because: error))
      }
    }
    if isEnded, saysEnd.withLock({ $0 }) {
      Output.remark("The session has ended with this command; use --json to keep it.")
    }
  }

  /// What to say of a session that could not be ended.
  static func notEnded(because error: any Error) -> String {
    "The session of this command could not be ended at the server, and stays valid until it expires: \(PlainReason.of(error))"
  }
}
