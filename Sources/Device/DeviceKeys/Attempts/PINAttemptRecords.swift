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

  /// Throws for a damaged record: treating it as empty would give tries away.
  private static func read(_ file: URL) throws -> PINAttemptRecord? {
    guard let bytes = try ProtectedFiles.read(file, limit: PINAttemptRecord.maximumBytes) else { return nil }
    guard let record = PINAttemptRecord(parsing: bytes) else {
      throw DeviceKeyError.unreadable(path: file.path, reason: "it is not a count of wrong PINs")
    }
    return record
  }
}
