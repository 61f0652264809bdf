public import Logging
internal import StrictJSON

/// Hands log lines on with everything escaped that could end a line, hide text or reorder it.
///
/// Messages and metadata may hold what clients sent. Log handlers such as swift-log's `StreamLogHandler` write values as
/// they are, so this stands before them: the one place that everything logged by the server passes.
public struct EscapingLogHandler: LogHandler {
  private var handler: any LogHandler

  public init(_ handler: any LogHandler) { self.handler = handler }

  public var logLevel: Logger.Level {
    get { handler.logLevel }
    set { handler.logLevel = newValue }
  }

  public var metadata: Logger.Metadata {
    get { handler.metadata }
    set { handler.metadata = newValue.mapValues(Self.escaped) }
  }

  public var metadataProvider: Logger.MetadataProvider? {
    get { handler.metadataProvider }
    set { handler.metadataProvider = newValue }
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { handler[metadataKey: key] }
    set { handler[metadataKey: key] = newValue.map(Self.escaped) }
  }

  public func log(event: LogEvent) {
    var event = event
    event.message = Logger.Message(stringLiteral: Self.escaped(event.message.description))
    event.metadata = event.metadata?.mapValues(Self.escaped)
    // Handlers print an error as it describes itself, which may quote a client.
    if let error = event.error {
      event.metadata = (event.metadata ?? [:]).merging(["error": .string(Self.escaped("\(error)"))]) { $1 }
      event.error = nil
    }
    handler.log(event: event)
  }

  private static func escaped(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
    switch value {
    case .string(let text): .string(escaped(text))
    case .stringConvertible(let convertible): .string(escaped(convertible.description))
    case .array(let values): .array(values.map(escaped))
    case .dictionary(let values): .dictionary(values.mapValues(escaped))
    @unknown default: .string(escaped("\(value)"))
    }
  }

  /// Text that is fit for a line stays as it is, quotation marks too; the rest is written as in JSON.
  private static func escaped(_ text: String) -> String {
    guard !text.isFitForLine else { return text }
    return String(JSONValue.string(text).lineText.dropFirst().dropLast())
  }
}

extension Logger {
  /// This logger behind an ``EscapingLogHandler``.
  public var escaping: Logger {
    guard !(handler is EscapingLogHandler) else { return self }
    var logger = Logger(label: label) { _ in EscapingLogHandler(handler) }
    logger.logLevel = logLevel
    return logger
  }
}
