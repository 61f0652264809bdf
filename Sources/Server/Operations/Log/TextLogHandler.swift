public import Foundation
public import Logging

/// Writes log lines for people: time (RFC 3339, UTC, milliseconds), level, message, and the metadata as `name=value`, by name.
///
/// Stands behind an ``EscapingLogHandler`` that quotes values, which keeps a line one line.
public struct TextLogHandler: LogHandler {
  public var logLevel = Logger.Level.info
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?

  private let write: @Sendable (String) -> Void
  private let clock: @Sendable () -> Date

  /// - Parameter write: receives one line with its line feed, from any thread.
  public init(
    clock: @escaping @Sendable () -> Date = { Date() }, write: @escaping @Sendable (String) -> Void
  ) {
    self.write = write
    self.clock = clock
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let fields = allMetadata(of: event).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let time = clock().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    write("\(time) \(event.level.rawValue) \(event.message)\(fields)\n")
  }
}
