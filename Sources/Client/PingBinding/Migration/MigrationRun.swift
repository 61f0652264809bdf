internal import Foundation
internal import PingLogger

/// One pass over a legacy store.
///
/// A key is copied in steps that can be repeated after a crash:
///
/// 1. Its description is added to the new storage, in one change with all others, and read back.
/// 2. Its key id is recorded in the legacy store as migrated.
/// 3. The legacy entry is deleted, if the app wants that and the entry has not changed.
///
/// The private key is not touched: the new description has the legacy tag. A crash before 2 is repaired by the next run,
/// which finds the key id in the new storage and continues. Entries that do not describe keys are left alone.
struct MigrationRun: Sendable {
  let legacy: any LegacyStore
  let storage: UserKeysStorage
  let cleanup: Bool
  let log: MigrationLog
  let now: @Sendable () -> Date

  /// The maximum number of entries; an installation has one per person.
  static let mostEntries = 10_000

  private struct Candidate: Sendable {
    let entry: String
    let content: Data
    let key: UserKey
  }

  /// Migrates every key that has not been migrated.
  func run() async throws(MigrationError) {
    let (names, noted) = try await look()
    guard !names.isEmpty else { throw .noLegacyDataFound }
    log.i("Found \(names.count) legacy keychain entries")
    let (candidates, faults) = try await decode(names)
    guard !candidates.isEmpty else {
      // Another process has migrated them in the meantime.
      if faults.isEmpty { throw .noLegacyDataFound }
      throw .invalidLegacyData(
        "None of the \(names.count) entries describes a key; the first one: \(faults[0])."
          + " They were left alone.")
    }
    let fresh = candidates.filter { !noted.contains($0.key.kid) }
    let copied = try await save(fresh, noted: noted)
    let done = candidates.filter { noted.contains($0.key.kid) || copied.contains($0.key.kid) }
    let deletedAny = try await cleanUp(done, of: names.count, noted: noted.union(copied))
    if fresh.isEmpty, !deletedAny { throw .alreadyMigrated }
    log.i("Migration completed")
  }

  /// Whether there are entries that no run has copied.
  func isNeeded() async throws(MigrationError) -> Bool {
    let (names, noted) = try await look()
    guard !names.isEmpty, !noted.isEmpty else { return !names.isEmpty }
    for name in names {
      let content: Data?
      do { content = try await legacy.read(name) } catch { throw .failedToReadLegacyKeys(error) }
      guard let content, let key = try? LegacyKey.userKey(content, now: now()) else { continue }
      if !noted.contains(key.kid) { return true }
    }
    return false
  }

  // MARK: Steps

  private func look() async throws(MigrationError) -> (names: [String], noted: Set<String>) {
    do {
      let names = try await legacy.entries()
      guard names.count <= Self.mostEntries else {
        throw MigrationError.invalidLegacyData(
          "There are \(names.count) entries; no installation has more than \(Self.mostEntries).")
      }
      return (names, names.isEmpty ? [] : try await legacy.migrated())
    } catch let error as MigrationError {
      throw error
    } catch {
      throw .failedToReadLegacyKeys(error)
    }
  }

  private func decode(_ names: [String]) async throws(MigrationError) -> ([Candidate], faults: [String]) {
    var candidates: [Candidate] = []
    var kids: Set<String> = []
    var faults: [String] = []
    var unread: (any Error)?
    var gone = 0
    for (place, name) in names.enumerated() {
      let content: Data
      do {
        guard let read = try await legacy.read(name) else {
          gone += 1
          continue
        }
        content = read
      } catch {
        unread = unread ?? error
        log.w("Failed to read legacy entry \(place + 1) of \(names.count); it is left alone", error)
        continue
      }
      log.d("Decoding legacy key from JSON: \(LegacyKey.preview(content))")
      do {
        let key = try LegacyKey.userKey(content, now: now())
        guard kids.insert(key.kid).inserted else {
          log.w(
            "Duplicate key id in legacy entry \(place + 1) of \(names.count); the first entry counts, this one is"
              + " left alone")
          faults.append("another entry has its kid")
          continue
        }
        candidates.append(Candidate(entry: name, content: content, key: key))
        log.i("Successfully decoded legacy key for user: (redacted)")
      } catch {
        faults.append("\(error)")
        log.w("Failed to decode legacy entry \(place + 1) of \(names.count): \(error); it is left alone")
      }
    }
    if candidates.isEmpty, let unread { throw .failedToReadLegacyKeys(unread) }
    log.i(
      "Successfully decoded \(candidates.count) user keys from legacy storage"
        + " (failed: \(names.count - candidates.count - gone))")
    return (candidates, faults)
  }

  /// Copies and records `candidates`, and returns the key ids that are in the new storage now.
  private func save(_ candidates: [Candidate], noted: Set<String>) async throws(MigrationError) -> Set<String>
  {
    guard !candidates.isEmpty else { return [] }
    do {
      let adoption = try await storage.adopt(candidates.map(\.key))
      for _ in adoption.known { log.i("A key is already in the new storage; it is not added again") }
      for kid in adoption.refused.sorted() {
        log.w("The new storage has another key with the key id \(kid); the legacy entry is left alone")
      }
      let copied = adoption.added.union(adoption.known)
      if !copied.isEmpty { try await legacy.noteMigrated(noted.union(copied)) }
      log.i("Migrated \(adoption.added.count) user keys")
      return copied
    } catch {
      throw .failedToSaveKeys(error)
    }
  }

  /// Deletes the entries of `done`, and returns whether there were any to delete.
  private func cleanUp(
    _ done: [Candidate], of count: Int, noted: Set<String>
  ) async throws(MigrationError) -> Bool {
    guard cleanup else {
      log.i("Legacy data is kept, as configured")
      return false
    }
    var failure: (any Error)?
    var notes = noted
    for candidate in done {
      do {
        try await legacy.delete(candidate.entry, content: candidate.content)
        // A deleted entry needs no record.
        notes.remove(candidate.key.kid)
      } catch {
        failure = failure ?? error
      }
    }
    do {
      if notes != noted { try await legacy.noteMigrated(notes) }
    } catch {
      failure = failure ?? error
    }
    if let failure { throw .failedToDeleteLegacyData(failure) }
    log.i(
      done.count == count
        ? "Successfully deleted all legacy keychain entries"
        : "Successfully deleted \(done.count) legacy keychain entries; \(count - done.count) are left alone")
    return !done.isEmpty
  }
}

/// A migration's messages. They never contain users' names.
struct MigrationLog: Sendable {
  /// `nil` is the module's logger, looked up for each message: it may be set after a migration has begun.
  let logger: (any Logger)?

  private var current: any Logger { logger ?? BindingModule.logger(for: nil) }

  func d(_ message: String) { current.d(message) }
  func i(_ message: String) { current.i(message) }
  func w(_ message: String, _ error: (any Error)? = nil) { current.w(message, error: error) }
}
