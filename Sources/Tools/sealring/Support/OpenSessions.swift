import Concurrency
import PingJourney
import PingOrchestrate

/// The sessions that a command has opened. Sessions opened only for the command end with it, so that nobody finds them later; a command
/// whose purpose is to sign in keeps them.
final class OpenSessions: Sendable {
  /// The sessions of the command that this task runs.
  @TaskLocal static var ofThisCommand = OpenSessions()

  private let journeys = Locked<[Journey]>([])
  private let saysEnd = Locked(false)

  func add(_ journey: Journey) { journeys.withLock { $0.append(journey) } }

  /// Reports the end of the sessions to the user.
  func tellEnd() { saysEnd.withLock { $0 = true } }

  /// Leaves the sessions opened so far to the caller of the command.
  func keep() { journeys.withLock { $0 = [] } }

  /// Ends the sessions. Remarks when that fails; the session then expires by itself.
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

  /// The remark about a session that could not be ended.
  static func notEnded(because error: any Error) -> String {
    "The session of this command could not be ended at the server, and stays valid until it expires: \(PlainReason.of(error))"
  }
}
