internal import Crypto

/// Counts and hashes the parts of a backup while it is written or read.
struct BackupTally {
  typealias List = WritableKeyPath<BackupManifest, [BackupManifest.Part]>

  private(set) var manifest = BackupManifest()
  private var hash = SHA256()

  /// The list of the part that was begun last, and the part's hash so far.
  private var list: List = \.tables
  private var part: SHA256?

  /// Begins a table, or a file: these come after all tables.
  mutating func begin(_ name: String, in list: List) {
    endPart()
    (self.list, part) = (list, SHA256())
    manifest[keyPath: list].append(BackupManifest.Part(name: name))
  }

  /// Counts rows, or bytes, of the part that was begun last.
  mutating func count(_ number: Int = 1) {
    manifest[keyPath: list][manifest[keyPath: list].count - 1].count += Int64(number)
  }

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
    manifest[keyPath: list][manifest[keyPath: list].count - 1].hash = [UInt8](part.finalize())
  }
}
