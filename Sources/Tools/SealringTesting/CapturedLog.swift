internal import Concurrency
public import Logging

/// Captures the server's log, so that a test can look up the reason of a refusal.
public final class CapturedLog: Sendable {
  private let captured = Locked<[String]>([])

  /// A log without lines.
  public init() {}

  /// The lines so far: the message, followed by metadata as `key=value`.
  public var lines: [String] { captured.withLock { $0 } }

  /// Whether some line contains `text`.
  public func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  /// A logger that writes here, from level debug.
  public func makeLogger() -> Logger {
    var logger = Logger(label: "sealring.test") { [captured] _ in Handler(captured: captured) }
    logger.logLevel = .debug
    return logger
  }

  private struct Handler: LogHandler {
    let captured: Locked<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let fields = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
      let line = ([event.message.description] + fields.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
      captured.withLock { $0.append(line) }
    }
  }
}
