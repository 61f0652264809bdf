internal import Concurrency
internal import NIOPosix

/// A file of events, one JSON object per line (JSON Lines), that is rotated when it is full.
///
/// Only its owner can read the file, links are not followed, and several processes may write to it. Events that arrive during
/// a write wait for the next batch, so that many share one write and one `fsync`.
public final class EventFile: SecurityEventSink {
  private let disk: EventFileDisk
  private let batches = SharedBatches<(line: String, isDurable: Bool), Void>(mostWrites: 1)

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
  public func open() async throws { try await write("", durably: false) }

  public func record(_ event: SecurityEvent, durably: Bool) async throws {
    try await write(event.line, durably: durably)
  }

  /// Writes on a thread that may block, one batch at a time, as ``EventFileDisk`` requires.
  private func write(_ line: String, durably: Bool) async throws {
    try await batches.write((line, durably)) { [disk] batch in
      let result: Result<Void, any Error>
      do {
        let durably = batch.contains { $0.isDurable }
        try await NIOThreadPool.singleton.runIfActive {
          try disk.append(batch.flatMap { $0.line.utf8 }, durably: durably)
        }
        result = .success(())
      } catch { result = .failure(error) }
      return batch.map { _ in result }
    }
  }
}
