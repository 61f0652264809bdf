public import Foundation
public import Logging

/// Where events go.
public protocol SecurityEventSink: Sendable {
  /// Takes the event.
  ///
  /// - Parameter durably: Whether it must be on disk when this returns.
  /// - Throws: ``SecurityEventError`` when it cannot be written.
  func record(_ event: SecurityEvent, durably: Bool) async throws
}

/// The server's stream of security events.
public struct SecurityEvents: Sendable {
  /// The client's address of the request that the current task answers. Events without an address get it.
  @TaskLocal public static var clientAddress: String?

  private let sink: (any SecurityEventSink)?
  private let clock: @Sendable () -> Date
  private let logger: Logger

  /// Records nothing.
  public static let none = SecurityEvents(
    sink: nil, clock: { Date() }, logger: Logger(label: "sealring.events"))

  /// - Parameter sink: Where they go; `nil` records nothing.
  public init(sink: (any SecurityEventSink)?, clock: @escaping @Sendable () -> Date, logger: Logger) {
    self.sink = sink
    self.clock = clock
    self.logger = logger
  }

  /// Records an event that the answer need not wait for, such as a sign-in. One that cannot be written is logged instead.
  public func note(_ event: SecurityEvent) async {
    do { try await record(event, durably: false) } catch {
      logger.error(
        "a security event could not be written", metadata: ["cause": "\(error)", "event": "\(event.line)"])
    }
  }

  /// Records an event that must be on disk before the client gets its answer: an administrator's act, a change of factors.
  ///
  /// - Throws: ``SecurityEventError`` when it cannot be written.
  public func require(_ event: SecurityEvent) async throws { try await record(event, durably: true) }

  private func record(_ event: SecurityEvent, durably: Bool) async throws {
    guard let sink else { return }
    var event = event
    event.time = clock()
    event.address = event.address ?? Self.clientAddress
    try await sink.record(event, durably: durably)
  }
}

/// Why an event could not be written.
public struct SecurityEventError: Error, Sendable, CustomStringConvertible {
  /// One sentence: which file, and what the system said.
  public let description: String

  public init(_ description: String) { self.description = description }
}
