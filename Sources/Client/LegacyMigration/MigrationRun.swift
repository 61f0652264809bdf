internal import Foundation

/// One pass over a legacy store.
///
/// Each entry is copied in steps that can be repeated after a crash:
///
/// 1. It is added to the new storage, and read back.
/// 2. Its id is recorded in the legacy store as migrated.
/// 3. The legacy entry is deleted, if the app wants that and the entry has not changed.
///
/// A crash before 2 is repaired by the next run, which finds the id in the new storage and continues. Entries that cannot be used are
/// left alone.
package struct MigrationRun<Target: MigrationTarget>: Sendable {
  private let legacy: any LegacyStore
  private let target: Target
  private let cleanup: Bool
  private let log: MigrationLog
  private var words: MigrationWords { target.words }

  /// The maximum number of entries; an installation has one per person.
  private var mostEntries: Int { 10_000 }

  private struct Candidate: Sendable {
    let entry: String
    let content: Data
    let item: Target.Item
    let id: String
  }

  package init(legacy: any LegacyStore, target: Target, cleanup: Bool, log: MigrationLog) {
    (self.legacy, self.target, self.cleanup, self.log) = (legacy, target, cleanup, log)
  }

  /// Migrates everything that has not been migrated.
  package func run() async throws(LegacyMigrationError) {
    let (names, noted) = try await look()
    guard !names.isEmpty else { throw .noLegacyDataFound }
    log.i("Found \(names.count) legacy keychain entries")
    let (candidates, faults) = try await decode(names)
    guard !candidates.isEmpty else {
      // Another process has migrated them in the meantime.
      if faults.isEmpty { throw .noLegacyDataFound }
      throw .invalidLegacyData(
        "None of the \(names.count) entries describes \(words.one); the first one: \(faults[0])."
          + " They were left alone.")
    }
    let fresh = candidates.filter { !noted.contains($0.id) }
    let copied = try await save(fresh, noted: noted)
    let earlier = candidates.filter { noted.contains($0.id) }
    do { try await target.catchUp(with: earlier.map(\.item)) } catch { throw .failedToSave(error) }
    let done = candidates.filter { noted.contains($0.id) || copied.contains($0.id) }
    let deletedAny = try await cleanUp(done, of: names.count, noted: noted.union(copied))
    if fresh.isEmpty, !deletedAny { throw .alreadyMigrated }
    log.i("Migration completed")
  }

  /// Whether there are entries that no run has copied.
  package func isNeeded() async throws(LegacyMigrationError) -> Bool {
    let (names, noted) = try await look()
    guard !names.isEmpty, !noted.isEmpty else { return !names.isEmpty }
    for name in names {
      let content: Data?
      do { content = try await legacy.read(name) } catch { throw .failedToReadLegacyData(error) }
      guard let content, let item = try? target.item(content) else { continue }
      if !noted.contains(target.id(of: item)) { return true }
    }
    return false
  }

  // MARK: Steps

  private func look() async throws(LegacyMigrationError) -> (names: [String], noted: Set<String>) {
    do {
      let names = try await legacy.entries()
      guard names.count <= mostEntries else {
        throw LegacyMigrationError.invalidLegacyData(
          "There are \(names.count) entries; no installation has more than \(mostEntries).")
      }
      return (names, names.isEmpty ? [] : try await legacy.migrated())
    } catch let error as LegacyMigrationError {
      throw error
    } catch {
      throw .failedToReadLegacyData(error)
    }
  }

  private func decode(_ names: [String]) async throws(LegacyMigrationError) -> ([Candidate], faults: [String])
  {
    var candidates: [Candidate] = []
    var ids: Set<String> = []
    var faults: [String] = []
    var unread: (any Error)?
    var ignored = 0
    for (place, name) in names.enumerated() {
      let content: Data
      do {
        guard let read = try await legacy.read(name) else {
          ignored += 1
          continue
        }
        content = read
      } catch {
        unread = unread ?? error
        log.w("Failed to read legacy entry \(place + 1) of \(names.count); it is left alone", error)
        continue
      }
      log.d("Decoding legacy \(words.one) from JSON: \(LegacyEntry.preview(content, known: words.members))")
      do {
        guard let item = try target.item(content) else {
          ignored += 1
          continue
        }
        let id = target.id(of: item)
        guard ids.insert(id).inserted else {
          log.w(
            "Duplicate \(words.id) in legacy entry \(place + 1) of \(names.count); the first entry counts, this one is"
              + " left alone")
          faults.append("another entry has its \(words.id)")
          continue
        }
        candidates.append(Candidate(entry: name, content: content, item: item, id: id))
        log.i("Successfully decoded legacy \(words.decoded)")
      } catch {
        faults.append("\(error)")
        log.w("Failed to decode legacy entry \(place + 1) of \(names.count): \(error); it is left alone")
      }
    }
    if candidates.isEmpty, let unread { throw .failedToReadLegacyData(unread) }
    log.i(
      "Successfully decoded \(candidates.count) \(words.many) from legacy storage"
        + " (failed: \(names.count - candidates.count - ignored))")
    return (candidates, faults)
  }

  /// Copies and records `candidates`, and returns the ids that are in the new storage now.
  private func save(_ candidates: [Candidate], noted: Set<String>) async throws(LegacyMigrationError) -> Set<
    String
  > {
    guard !candidates.isEmpty else { return [] }
    do {
      let adoption = try await target.adopt(candidates.map(\.item))
      for _ in adoption.known {
        log.i("One \(words.one) is already in the new storage; it is not added again")
      }
      for id in adoption.refused.sorted() {
        log.w("The new storage has another \(words.one) in place of \(id); the legacy entry is left alone")
      }
      let copied = adoption.added.union(adoption.known)
      if !copied.isEmpty { try await legacy.noteMigrated(noted.union(copied)) }
      log.i("Migrated \(adoption.added.count) \(words.many)")
      return copied
    } catch {
      throw .failedToSave(error)
    }
  }

  /// Deletes the entries of `done`, and returns whether there were any to delete.
  private func cleanUp(
    _ done: [Candidate], of count: Int, noted: Set<String>
  ) async throws(LegacyMigrationError) -> Bool {
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
        notes.remove(candidate.id)
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
