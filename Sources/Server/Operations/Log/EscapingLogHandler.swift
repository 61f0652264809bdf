public import Logging
internal import StrictJSON

/// Passes log lines on with everything escaped that could end a line, hide text or reorder it.
///
/// Messages and metadata may contain what clients sent, and log handlers such as ``LineLogHandler`` write values as
/// they are. Everything that the server logs passes here first.
public struct EscapingLogHandler: LogHandler {
  private var handler: any LogHandler

  /// The logger's own metadata, not yet escaped: every request sets some, and few of them log.
  public var metadata: Logger.Metadata
  private let quotesValues: Bool

  /// - Parameter quotesValues: Whether values with spaces, quotation marks or equals signs are quoted: for handlers that write
  ///   `name=value` on a line, such as ``LineLogHandler``.
  public init(_ handler: any LogHandler, quotesValues: Bool = false) {
    self.handler = handler
    self.quotesValues = quotesValues
    metadata = handler.metadata
    self.handler.metadata = [:]
    metadataProvider = handler.metadataProvider
  }

  public var logLevel: Logger.Level {
    get { handler.logLevel }
    set { handler.logLevel = newValue }
  }

  public var metadataProvider: Logger.MetadataProvider? {
    get { handler.metadataProvider }
    set { handler.metadataProvider = .multiplex([newValue, .request].compactMap(\.self)) }
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var event = event
    event.message = Logger.Message(stringLiteral: Self.escaped(event.message.description))
    let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
    event.metadata = metadata.isEmpty ? nil : metadata.mapValues(escaped)
    // Handlers print an error as it describes itself, which may quote a client.
    if let error = event.error {
      event.metadata = (event.metadata ?? [:]).merging(["error": escaped(.string("\(error)"))]) { $1 }
      event.error = nil
    }
    handler.log(event: event)
  }

  private func escaped(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
    switch value {
    case .string(let text): .string(quoted(text))
    // Numbers stay numbers, for handlers that write them so.
    case .stringConvertible(let number as any BinaryInteger & Sendable & CustomStringConvertible):
      .stringConvertible(number)
    case .stringConvertible(let convertible): .string(quoted(convertible.description))
    case .array(let values): .array(values.map(escaped))
    case .dictionary(let values): .dictionary(values.mapValues(escaped))
    @unknown default: .string(quoted("\(value)"))
    }
  }

  private func quoted(_ text: String) -> String {
    guard quotesValues, text.isEmpty || text.utf8.contains(where: { " =\"".utf8.contains($0) }) else {
      return Self.escaped(text)
    }
    return JSONValue.string(text).lineText
  }

  /// Printable text on one line stays as it is, including quotation marks; all other text is written as in JSON.
  private static func escaped(_ text: String) -> String {
    guard !text.isFitForLine else { return text }
    // Scalars: as a character, a quotation mark takes combining marks beside it with it.
    return String(JSONValue.string(text).lineText.unicodeScalars.dropFirst().dropLast())
  }
}

extension Logger {
  /// This logger behind an ``EscapingLogHandler``, with the ids of requests.
  public var escaping: Logger {
    guard !(handler is EscapingLogHandler) else { return self }
    var logger = Logger(label: label) { _ in EscapingLogHandler(handler) }
    logger.logLevel = logLevel
    return logger
  }
}
