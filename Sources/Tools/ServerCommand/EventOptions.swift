import ArgumentParser
import Foundation
import JourneyServer

/// Where `sealring serve` writes security events.
package struct EventOptions: ParsableArguments {
  package init() {}

  @Option(help: "File for security events, as JSON Lines. Default: events.jsonl in the data folder.")
  var events: String?

  @Option(help: "Megabytes (MiB) at which the file of events is turned over.")
  var eventsSize = 64

  @Option(help: "How many full files of events are kept.")
  var eventsKeep = 10

  package func validate() throws {
    guard (1...65536).contains(eventsSize) else {
      throw ValidationError("--events-size is a number from 1 to 65536.")
    }
    guard (1...1000).contains(eventsKeep) else {
      throw ValidationError("--events-keep is a number from 1 to 1000.")
    }
  }

  func apply(to configuration: inout ServerConfiguration) {
    configuration.eventsFile = events.map { URL(filePath: $0) }
    configuration.eventsFileSize = eventsSize << 20
    configuration.eventsFilesKept = eventsKeep
  }
}
