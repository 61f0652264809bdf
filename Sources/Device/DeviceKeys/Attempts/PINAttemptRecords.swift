internal import Concurrency
internal import Foundation
internal import PrivateFiles

/// Where the record of one key is kept. Every change is atomic.
enum PINAttemptRecords: Sendable {
  case memory(Locked<PINAttemptRecord?>)
  /// In a file that all processes share.
  case file(URL)

  /// Lets `body` read and change the record exclusively; the change is durable on return. In memory the call does not suspend, so a calling
  /// actor does nothing else meanwhile.
  nonisolated(nonsending) func withRecord<Result: Sendable>(
    _ body: @Sendable (inout PINAttemptRecord?) -> Result
  ) async throws -> Result {
    switch self {
    case .memory(let record): return record.withLock { body(&$0) }
    case .file(let file):
      return try await KeyFolder.withLock(in: file.deletingLastPathComponent()) {
        let stored = try Self.read(file)
        var record = stored
        let result = body(&record)
        guard record != stored else { return result }
        if let record {
          try ProtectedFiles.replace(file, with: record.serialized)
        } else {
          try ProtectedFiles.remove(file)
        }
        return result
      }
    }
  }

  /// Runs `body` while no other try on the key runs, in this process or another. In memory tries do not suspend, so there they never meet.
  ///
  /// Turns are a courtesy: without them, tries at the same time would count as failures of one another. What limits the tries is the count.
  /// So a program that stands still in its turn holds up the others only for a time; then `body` runs beside it.
  ///
  /// - Parameter patience: How often to ask for the turn, about every 10 ms.
  nonisolated(nonsending) func inTurn<Result: Sendable>(
    patience: Int, _ body: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    guard case .file(let file) = self else { return try await body() }
    var isTurn = false
    do {
      return try await FileLock(file: Self.turns(of: file), attempts: patience).withLock {
        isTurn = true
        return try await body()
      }
    } catch FileStorageError.locked where !isTurn {
      return try await body()
    } catch let error as FileStorageError where !isTurn {
      throw error.forKeys
    }
  }

  /// The lock of the tries that `file` counts.
  static func turns(of file: URL) -> URL { file.appendingPathExtension("lock") }

  /// Throws for a damaged record: treating it as empty would give tries away.
  private static func read(_ file: URL) throws -> PINAttemptRecord? {
    guard let bytes = try ProtectedFiles.read(file, limit: PINAttemptRecord.maximumBytes) else { return nil }
    guard let record = PINAttemptRecord(parsing: bytes) else {
      throw DeviceKeyError.unreadable(path: file.path, reason: "it is not a count of wrong PINs")
    }
    return record
  }
}
