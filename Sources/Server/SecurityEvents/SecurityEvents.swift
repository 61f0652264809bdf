public import Foundation
public import Logging

/// A destination of events.
public protocol SecurityEventSink: Sendable {
  /// Records an event.
  ///
  /// - Parameter durably: Whether the event must be on disk when this returns.
  /// - Throws: ``SecurityEventError`` when it cannot be written.
  func record(_ event: SecurityEvent, durably: Bool) async throws
}

/// The server's stream of security events.
public struct SecurityEvents: Sendable {
  /// The client address of the request that the current task serves. Events without an address get it.
  @TaskLocal public static var clientAddress: String?

  private let sink: (any SecurityEventSink)?
  private let clock: @Sendable () -> Date
  private let logger: Logger

  /// A stream that records nothing.
  public static let none = SecurityEvents(
    sink: nil, clock: { Date() }, logger: Logger(label: "sealring.events"))

  /// - Parameter sink: The destination; `nil` records nothing.
  public init(sink: (any SecurityEventSink)?, clock: @escaping @Sendable () -> Date, logger: Logger) {
    self.sink = sink
    self.clock = clock
    self.logger = logger
  }

  /// Records an event that the response need not wait for, such as a sign-in. Logs it if it cannot be written.
  public func note(_ event: SecurityEvent) async { try? await record(event, durably: false) }

  /// Records an event that must be on disk before the response: an administrator's act, a change of factors. Logs it if it cannot be
  /// written, because the act has happened.
  ///
  /// - Throws: ``SecurityEventError`` when it cannot be written.
  public func require(_ event: SecurityEvent) async throws { try await record(event, durably: true) }

  private func record(_ event: SecurityEvent, durably: Bool) async throws {
    guard let sink else { return }
    var event = event
    event.time = clock()
    event.address = event.address ?? Self.clientAddress
    do { try await sink.record(event, durably: durably) } catch {
      logger.error(
        "a security event could not be written",
        metadata: ["cause": "\(error)", "event": "\(event.line.dropLast())"])
      throw error
    }
  }
}

/// Why an event could not be written.
public struct SecurityEventError: Error, Sendable, CustomStringConvertible {
  /// One sentence with the file and the system's reason.
  public let description: String

  public init(_ description: String) { self.description = description }
}
