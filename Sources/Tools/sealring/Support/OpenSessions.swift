import Concurrency
import PingJourney
import PingOrchestrate

/// The sessions that a command has opened. Those that it opened only for itself end with it, so that nobody finds them later; a command whose
/// purpose is to sign in keeps them.
final class OpenSessions: Sendable {
  /// Those of the command that this task runs.
  @TaskLocal static var ofThisCommand = OpenSessions()

  private let journeys = Locked<[Journey]>([])

  func add(_ journey: Journey) { journeys.withLock { $0.append(journey) } }

  /// Leaves the sessions opened so far to the reader of the command's output.
  func keep() { journeys.withLock { $0 = [] } }

  /// Ends the sessions. A session whose server cannot be reached expires by itself.
  func end() async {
    let open = journeys.withLock { open in
      defer { open = [] }
      return open
    }
    for journey in open { _ = await journey.signOff() }
  }
}
