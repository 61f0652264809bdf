import Concurrency
import SecurityEvents

/// Keeps events for a test to look at.
final class EventRecorder: SecurityEventSink {
  let events = Locked<[SecurityEvent]>([])

  func record(_ event: SecurityEvent, durably: Bool) async throws {
    events.withLock { $0.append(event) }
  }

  func all(_ kind: SecurityEvent.Kind) -> [SecurityEvent] {
    events.withLock { $0.filter { $0.kind == kind } }
  }
}

extension PageReader {
  /// amAdmin, who has a password only.
  static func administrator(_ server: LocalServer, language: String = "en") async throws
    -> PageReader
  {
    PageReader(server, token: try await server.signInAdministrator(), language: language)
  }
}
