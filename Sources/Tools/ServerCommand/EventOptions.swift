import ArgumentParser
import Assembly
import Foundation

/// The file for security events of `sealring serve`.
struct EventOptions: ParsableArguments, ServerOptionGroup {
  @Option(help: "File for security events, as JSON Lines. Default: events.jsonl in the data folder.")
  var events: String?

  @Option(help: "Size in MiB at which the event file is rotated.")
  var eventsSize = ServerConfiguration.standard.eventsFileSize >> 20

  @Option(help: "How many rotated event files are kept.")
  var eventsKeep = ServerConfiguration.standard.eventsFilesKept

  func validate() throws {
    try (1...65536).require(eventsSize, for: "--events-size")
    try (1...1000).require(eventsKeep, for: "--events-keep")
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.eventsFile = events.map { URL(filePath: $0) }
    configuration.eventsFileSize = eventsSize << 20
    configuration.eventsFilesKept = eventsKeep
  }
}
