internal import Bytes
public import Foundation
public import Logging
internal import StrictJSON

/// Writes log lines as JSON, one object a line, for log collectors: `time` (RFC 3339, UTC, milliseconds), `level`, `label`,
/// `message`, and the metadata by name. Of requests there are `requestId`, `journeyId`, `client`,
/// `user` and `journey`.
public struct JSONLogHandler: LogHandler {
  public var logLevel = Logger.Level.info
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?

  private let label: String
  private let write: @Sendable (String) -> Void
  private let clock: @Sendable () -> Date

  /// - Parameter write: receives one line with its line feed, from any thread.
  public init(
    label: String, clock: @escaping @Sendable () -> Date = { Date() },
    write: @escaping @Sendable (String) -> Void
  ) {
    self.label = label
    self.clock = clock
    self.write = write
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Members that metadata cannot replace.
  private static let own: Set<String> = ["time", "level", "label", "message"]

  /// The framework's names, and ours.
  private static let renamed = ["hb.request.id": "requestId"]

  public func log(event: LogEvent) {
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
    write(JSONValue.object(line).lineText + "\n")
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
