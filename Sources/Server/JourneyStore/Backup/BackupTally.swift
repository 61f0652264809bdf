internal import Crypto

/// Counts and hashes the parts of a backup while it is written or read.
struct BackupTally {
  private(set) var manifest = BackupManifest()
  private var hash = SHA256()
  private var part: SHA256?

  /// Begins a table, or a file: these come after all tables.
  mutating func begin(_ list: WritableKeyPath<BackupManifest, [BackupManifest.Part]>, _ name: String) {
    endPart()
    part = SHA256()
    manifest[keyPath: list].append(BackupManifest.Part(name: name))
  }

  /// Counts rows, or bytes, of the part that was begun last.
  mutating func count(_ list: WritableKeyPath<BackupManifest, [BackupManifest.Part]>, _ number: Int = 1) {
    manifest[keyPath: list][manifest[keyPath: list].count - 1].count += Int64(number)
  }

  /// Adds the bytes of a record.
  mutating func add(_ bytes: [UInt8]) {
    hash.update(data: bytes)
    part?.update(data: bytes)
  }

  mutating func finish() -> BackupManifest {
    endPart()
    manifest.hash = [UInt8](hash.finalize())
    return manifest
  }

  private mutating func endPart() {
    guard let part else { return }
    self.part = nil
    manifest.endPart([UInt8](part.finalize()))
  }
}
