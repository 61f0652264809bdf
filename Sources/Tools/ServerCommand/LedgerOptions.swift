import ArgumentParser
import Assembly
import Foundation

/// The options for writing and publishing the ledger of signatures.
struct LedgerOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: """
      How many chains of the ledger to write at once, from 1 to 63, with PostgreSQL only (docs/audit.md). With more than 1, servers of \
      versions without this option cannot use the database any more.
      """)
  var ledgerLanes = ServerConfiguration.standard.ledgerLanes

  @Option(
    help: ArgumentHelp("Publish checkpoints of the ledger to this file.", valueName: "file"),
    completion: .file())
  var checkpointFile: String?

  @Option(
    help: ArgumentHelp("Publish checkpoints of the ledger to this https address, by PUT.", valueName: "url"))
  var checkpointURL: String?

  @Option(
    help: ArgumentHelp("File with the bearer token for --checkpoint-url.", valueName: "file"),
    completion: .file())
  var checkpointTokenFile: String?

  @Option(help: "Seconds from one published checkpoint to the next.")
  var checkpointEvery = Int(ServerConfiguration.standard.checkpoints.interval)

  @Option(
    help: """
      Remove the content of entries in the ledger when they are this old, such as 400d; for good (docs/audit.md). With published \
      checkpoints, never before one with the entry has arrived.
      """)
  var ledgerRetain: Days?

  /// A time span in whole days.
  struct Days: ExpressibleByArgument {
    let seconds: Double

    /// Accepts only 1 to 36,500 with the letter d.
    init?(argument: String) {
      guard argument.utf8.count <= 6, argument.hasSuffix("d"), let days = UInt16(argument.dropLast()),
        argument.first != "+", (1...36_500).contains(days)
      else { return nil }
      seconds = Double(days) * 86_400
    }
  }

  func validate() throws {
    try (1...63).require(ledgerLanes, for: "--ledger-lanes")
    try (10...31_536_000).require(checkpointEvery, for: "--checkpoint-every", unit: " of seconds")
    if checkpointTokenFile != nil, checkpointURL == nil {
      throw ValidationError("--checkpoint-token-file is for --checkpoint-url.")
    }
    if let checkpointURL, URL(string: checkpointURL)?.host() == nil {
      throw ValidationError("--checkpoint-url is an https address.")
    }
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.ledgerLanes = ledgerLanes
    configuration.ledgerRetention = ledgerRetain?.seconds
    configuration.checkpoints.file = checkpointFile.map { URL(filePath: $0) }
    configuration.checkpoints.address = checkpointURL.flatMap { URL(string: $0) }
    configuration.checkpoints.tokenFile = checkpointTokenFile.map { URL(filePath: $0) }
    configuration.checkpoints.interval = Double(checkpointEvery)
  }
}
