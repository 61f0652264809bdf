internal import Concurrency
internal import Foundation
internal import PrivateFiles

/// Where the record of one key is. A change is one step for everybody who uses it.
protocol PINAttemptRecords: Sendable {
  /// Lets `body` read and change the record while nobody else does; durable on return.
  func withRecord<Result: Sendable>(
    _ body: @Sendable (inout PINAttemptRecord?) -> Result
  ) async throws -> Result
}

/// A record in memory.
struct MemoryAttemptRecords: PINAttemptRecords {
  private let record = Locked<PINAttemptRecord?>(nil)

  func withRecord<Result: Sendable>(
    _ body: @Sendable (inout PINAttemptRecord?) -> Result
  ) -> Result {
    record.withLock { body(&$0) }
  }
}

/// A record in a file, for all processes together.
struct FileAttemptRecords: PINAttemptRecords {
  let file: URL

  func withRecord<Result: Sendable>(
    _ body: @Sendable (inout PINAttemptRecord?) -> Result
  ) async throws -> Result {
    try await KeyFolderLock.withLock(in: file.deletingLastPathComponent()) {
      let stored = try read()
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

  /// A damaged record is not an empty one: it would give tries away.
  private func read() throws -> PINAttemptRecord? {
    guard let bytes = try ProtectedFiles.read(file, limit: PINAttemptRecord.maximumBytes) else { return nil }
    guard let record = PINAttemptRecord(parsing: bytes) else {
      throw DeviceKeyError.unreadable(path: file.path, reason: "it is not a count of wrong PINs")
    }
    return record
  }
}
