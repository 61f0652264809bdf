internal import Foundation
internal import Operations
internal import SecurityEvents

/// Opens the file of security events that a configuration asks for.
enum EventFiles {
  /// The name in the data folder.
  static let standardName = "events.jsonl"

  /// - Throws: ``ServerSetupError`` when the file cannot be written.
  static func sink(_ configuration: ServerConfiguration) async throws -> (any SecurityEventSink)? {
    if let sink = configuration.eventSink { return sink }
    let folder = try StoreOpening.place(configuration).folder
    guard let path = configuration.eventsFile ?? folder?.appending(path: standardName) else { return nil }
    let file = EventFile(
      path: path.path, sizeLimit: configuration.eventsFileSize, keep: configuration.eventsFilesKept)
    do { try await file.open() } catch {
      throw ServerSetupError("\(error) Choose another file with --events.")
    }
    return file
  }
}
