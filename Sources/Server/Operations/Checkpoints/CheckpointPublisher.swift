internal import EvidenceLedger
public import Foundation
package import JourneyStore
package import Logging
internal import PrivateFiles
package import SecurityEvents
internal import StrictJSON

/// Where a server publishes checkpoints of its ledger (`docs/audit.md`), and how often.
public struct CheckpointPublishing: Sendable, Hashable {
  /// A file that always holds the latest checkpoint, complete.
  public var file: URL?

  /// An https address that gets each checkpoint by PUT; http on this machine only.
  public var address: URL?

  /// A file with the bearer token for ``address``. Read each time.
  public var tokenFile: URL?

  /// Seconds from one checkpoint to the next; at least 10.
  public var interval: Double = 3600

  public init() {}

  /// Publishes nothing.
  package var isEmpty: Bool { file == nil && address == nil }
}

/// Publishes checkpoints to one place, each with the proof that it continues the one that was published there before.
///
/// A failure changes nothing: the next turn publishes a newer checkpoint, whose proof begins at the last one that arrived. A ledger that
/// does not continue what was published is no longer published.
package actor CheckpointPublisher {
  private let target: Target
  private let archive: @Sendable () async throws -> any LedgerArchive
  private let clock: @Sendable () -> Date
  private let events: SecurityEvents
  private let logger: Logger
  private var last: LedgerFrontier?

  /// The number of entries in the last checkpoint that arrived since this process started; 0 after the ledger was found not to continue
  /// what was published.
  package private(set) var arrived: Int64 = 0

  /// Where checkpoints go.
  struct Target: Sendable {
    /// `nil` for a file, which is ``memory`` itself.
    fileprivate let upload: CheckpointUpload?
    fileprivate let name: String

    /// Holds the last checkpoint that arrived; `nil` remembers it until the end of the process.
    fileprivate let memory: URL?

    /// Holds the tree of the last checkpoint; `nil` remembers it until the end of the process.
    fileprivate let frontier: URL?

    static func file(_ file: URL, frontier: URL? = nil) -> Target {
      Target(upload: nil, name: file.path, memory: file, frontier: frontier)
    }

    static func address(_ upload: CheckpointUpload, memory: URL?, frontier: URL? = nil) -> Target {
      Target(upload: upload, name: upload.place, memory: memory, frontier: frontier)
    }
  }

  init(
    to target: Target, of archive: @escaping @Sendable () async throws -> any LedgerArchive,
    clock: @escaping @Sendable () -> Date, events: SecurityEvents, logger: Logger
  ) {
    self.target = target
    self.archive = archive
    self.clock = clock
    self.events = events
    self.logger = logger
  }

  /// The publishers that settings ask for.
  ///
  /// - Parameters:
  ///   - archive: Opens the ledger to read it whole; `nil` when it is only in memory.
  ///   - folder: Where they remember what they published.
  /// - Throws: ``ServerSetupError`` for an address that is not accepted, and for a ledger that is only in memory.
  package static func all(
    _ settings: CheckpointPublishing, of archive: (@Sendable () async throws -> any LedgerArchive)?,
    folder: URL?, clock: @escaping @Sendable () -> Date, events: SecurityEvents, logger: Logger
  ) throws -> [CheckpointPublisher] {
    guard !settings.isEmpty else { return [] }
    guard let archive, let folder else {
      throw ServerSetupError("A ledger in memory has no checkpoints. Name a data folder.")
    }
    var targets =
      settings.file.map {
        [Target.file($0, frontier: folder.appending(path: "published-file-tree.json"))]
      } ?? []
    if let address = settings.address {
      targets.append(
        .address(
          try CheckpointUpload(address, tokenFile: settings.tokenFile),
          memory: folder.appending(path: "published-checkpoint.json"),
          frontier: folder.appending(path: "published-checkpoint-tree.json")))
    }
    return targets.map {
      CheckpointPublisher(to: $0, of: archive, clock: clock, events: events, logger: logger)
    }
  }

  /// Publishes a checkpoint. A failure is logged, and is an event.
  package func publish() async {
    do {
      let frontier = try await make()
      let made = frontier.checkpoint
      if let upload = target.upload { try await upload.send(made.file) }
      if let memory = target.memory { try ProtectedFiles.replace(memory, with: made.file) }
      last = frontier
      remember(frontier)
      arrived = made.checkpoint.count
      await events.note(
        SecurityEvent(
          .checkpointPublished,
          detail: [
            "entries": .integer(made.checkpoint.count), "root": .string(made.root.text),
            "place": .string(target.name),
          ]))
    } catch {
      let cause = "\(error)"
      if error is EvidenceFault {
        arrived = 0
        logger.critical(
          "the ledger does not continue what was published; keep both for an inquiry",
          metadata: ["cause": "\(cause)", "place": "\(target.name)"])
      } else {
        logger.error(
          "a checkpoint of the ledger could not be published; the next one is tried in its turn",
          metadata: ["cause": "\(cause)", "place": "\(target.name)"])
      }
      await events.note(
        SecurityEvent(
          .checkpointPublished, outcome: .failure, cause: cause, detail: ["place": .string(target.name)]))
    }
  }

  private func make() async throws -> LedgerFrontier {
    let earlier = try last?.checkpoint ?? remembered()
    let archive = try await archive()
    if let frontier = last ?? earlier.flatMap(rememberedTree) {
      do { return try await archive.advance(frontier, to: clock()) } catch {
        // Reading the whole ledger tells what is wrong, if anything is.
        logger.notice(
          "the ledger is read from its beginning, because it did not go on from the last published checkpoint",
          metadata: ["cause": "\(error)", "place": "\(target.name)"])
      }
    }
    var maker = try await archive.export(at: clock(), to: EvidenceProofMaker(.checkpoint(since: earlier)))
    guard case .checkpoint(let made) = try maker.finish() else {
      throw EvidenceFault(.proof, "something else than a checkpoint was made")
    }
    return try LedgerFrontier(made, peaks: maker.peaks)
  }

  /// The checkpoint that was published before this process started.
  private func remembered() throws -> VerifiedCheckpoint? {
    guard let file = target.memory,
      let bytes = try ProtectedFiles.read(file, limit: UnverifiedCheckpoint.maximumBytes)
    else { return nil }
    return try UnverifiedCheckpoint(parsing: bytes).verified()
  }

  /// The tree of what was published before this process; `nil` when there is none that fits.
  private func rememberedTree(of checkpoint: VerifiedCheckpoint) -> LedgerFrontier? {
    guard let file = target.frontier,
      let bytes = try? ProtectedFiles.read(file, limit: LedgerFrontier.maximumBytes)
    else { return nil }
    return try? LedgerFrontier(checkpoint, parsing: bytes)
  }

  /// Keeps the tree for the next process, which otherwise reads the whole ledger once.
  private func remember(_ frontier: LedgerFrontier) {
    guard let file = target.frontier else { return }
    do { try ProtectedFiles.replace(file, with: frontier.file) } catch {
      logger.warning(
        "the tree of the published checkpoint could not be kept",
        metadata: ["cause": "\(error)", "path": "\(file.path)"])
    }
  }
}
