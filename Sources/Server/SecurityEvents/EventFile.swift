internal import Foundation
internal import NIOPosix

/// A file of events, one JSON object per line (JSON Lines), that is rotated when it is full.
///
/// Only its owner can read the file, links are not followed, and several processes may write to it. Events that arrive during
/// a write wait for the next batch, so that many share one write and one `fsync`.
public actor EventFile: SecurityEventSink {
  private let disk: EventFileDisk
  private var batch: [UInt8] = []
  private var batchIsDurable = false
  private var waiting: [CheckedContinuation<Void, any Error>] = []
  private var isWriting = false

  /// - Parameters:
  ///   - path: The file. Its folder must exist.
  ///   - sizeLimit: Bytes at which the file is renamed to `path.1`, `path.1` to `path.2`, and so on.
  ///   - keep: The number of full files to keep; the oldest is deleted.
  public init(path: String, sizeLimit: Int = 64 << 20, keep: Int = 10) {
    disk = EventFileDisk(path: path, sizeLimit: max(1, sizeLimit), keep: max(1, keep))
  }

  /// Opens the file, so that an unusable path is found at the start.
  ///
  /// - Throws: ``SecurityEventError``.
  public func open() async throws { try await write([], durably: false) }

  public func record(_ event: SecurityEvent, durably: Bool) async throws {
    batch.append(contentsOf: event.line.utf8)
    batchIsDurable = batchIsDurable || durably
    try await withCheckedThrowingContinuation { continuation in
      waiting.append(continuation)
      guard !isWriting else { return }
      isWriting = true
      Task { await self.writeBatches() }
    }
  }

  /// Writes batches until no event waits.
  private func writeBatches() async {
    while !waiting.isEmpty {
      let (bytes, durably, callers) = (batch, batchIsDurable, waiting)
      (batch, batchIsDurable, waiting) = ([], false, [])
      let result: Result<Void, any Error>
      do { result = .success(try await write(bytes, durably: durably)) } catch { result = .failure(error) }
      for caller in callers { caller.resume(with: result) }
    }
    isWriting = false
  }

  /// Writes on a thread that may block, one batch at a time, as ``EventFileDisk`` requires.
  private func write(_ bytes: [UInt8], durably: Bool) async throws {
    try await NIOThreadPool.singleton.runIfActive { [disk] in try disk.append(bytes, durably: durably) }
  }
}
