package import Concurrency
package import Logging

/// Keeps what is logged, as `level message key=value …`.
package struct LogRecorder: LogHandler {
  package let lines: Locked<[String]>
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  package var logLevel = Logger.Level.trace

  package init(lines: Locked<[String]>) { self.lines = lines }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let all = (metadataProvider?.get() ?? [:]).merging(event.metadata ?? [:]) { $1 }
    let values = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let text = (["\(event.level)", "\(event.message)"] + values).joined(separator: " ")
    lines.withLock { $0.append(text) }
  }
}
