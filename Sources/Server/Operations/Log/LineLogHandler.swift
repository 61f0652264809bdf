internal import Bytes
public import Foundation
public import Logging
internal import StrictJSON

/// Writes log lines, with their line feeds, from any thread.
public struct LineLogHandler: LogHandler {
  public enum Form: Sendable {
    /// For people: time (RFC 3339, UTC, milliseconds), level, message, and the metadata as `name=value`, by name.
    ///
    /// Stands behind an ``EscapingLogHandler`` that quotes values, which keeps a line one line.
    case text

    /// For log collectors, one object a line: `time` (RFC 3339, UTC, milliseconds), `level`, `label`, `message`, and the metadata by name.
    /// Lines of requests have `requestId`, `journeyId`, `client`, `user` and `journey`.
    case json(label: String)
  }

  public var logLevel = Logger.Level.info
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?

  private let form: Form
  private let write: @Sendable (String) -> Void
  private let clock: @Sendable () -> Date

  public init(
    _ form: Form, clock: @escaping @Sendable () -> Date = { Date() },
    write: @escaping @Sendable (String) -> Void
  ) {
    (self.form, self.clock, self.write) = (form, clock, write)
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    switch form {
    case .text: write(text(of: event) + "\n")
    case .json(let label): write(JSONValue.object(json(of: event, label)).lineText + "\n")
    }
  }

  private func text(of event: LogEvent) -> String {
    let fields = allMetadata(of: event).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let time = clock().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    return "\(time) \(event.level.rawValue) \(event.message)\(fields)"
  }

  /// Members that metadata cannot replace.
  private static let own: Set<String> = ["time", "level", "label", "message"]

  /// The framework's names, and the names in the log.
  private static let renamed = ["hb.request.id": "requestId"]

  private func json(of event: LogEvent, _ label: String) -> JSONObject {
    var line: JSONObject = [
      "time": .string(clock().formatted(Date.ISO8601FormatStyle.milliseconds)),
      "level": .string(event.level.rawValue), "label": .string(label),
      "message": .string(event.message.description),
    ]
    var all = allMetadata(of: event)
    if let error = event.error { all["error"] = .string("\(error)") }
    for (name, value) in all.sorted(by: { $0.key < $1.key }) {
      let name = Self.renamed[name] ?? name
      line[Self.own.contains(name) ? "metadata.\(name)" : name] = Self.json(value)
    }
    return line
  }

  private static func json(_ value: Logger.Metadata.Value) -> JSONValue {
    switch value {
    case .string(let text): .string(text)
    case .stringConvertible(let number as any BinaryInteger): .integer(Int64(clamping: number))
    case .stringConvertible(let convertible): .string(convertible.description)
    case .array(let values): .array(values.map(json))
    case .dictionary(let values):
      .object(values.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0[$1.key] = json($1.value) })
    @unknown default: .string("\(value)")
    }
  }
}
