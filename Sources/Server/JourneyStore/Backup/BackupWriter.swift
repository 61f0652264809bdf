package import BackupFormats
internal import Crypto
package import Foundation

/// Writes a backup: encrypts, counts, hashes, and signs at the end.
@available(macOS 14, iOS 17, *)
package final class BackupWriter {
  private var encrypter: BackupEncrypter
  private let recipient: BackupRecipient

  /// The server's keys, of which the first is in use and signs.
  private var keys: [LoadedServerKey]
  private let date: Date
  private var tally = BackupTally()

  /// - Parameters:
  ///   - directory: the folder of `server.key` and of later keys, which become a part of the backup.
  ///   - output: called with each piece of the file.
  package init(
    to recipient: BackupRecipient, keyIn directory: URL, at date: Date,
    output: @escaping ([UInt8]) throws -> Void
  ) throws {
    let keys = try FolderKeySource(folder: StoreDirectory(directory)).keys()
    guard !keys.isEmpty else {
      throw StoreError.unavailable(
        "\(directory.path) has no server.key; name the folder that the server has as --data. \(Self.elsewhere)"
      )
    }
    (self.recipient, self.keys, self.date) = (recipient, keys, date)
    encrypter = try BackupEncrypter(to: recipient, output: output)
  }

  private static let elsewhere =
    "A key in another place than the folder is not backed up with this command (docs/backup.md)"

  /// Puts the key in use first, because readers of the backup take the first key for the one that has signed it.
  private func sign(with id: String) throws {
    guard let index = keys.firstIndex(where: { $0.id == id }) else {
      throw StoreError.unavailable(
        "the server key in use, \(id), is not in the data folder. \(Self.elsewhere)")
    }
    keys.insert(keys.remove(at: index), at: 0)
  }

  private var key: ServerKey { ServerKey([keys[0]]) }

  /// Adds what a ``BackupSource`` hands out.
  package func add(_ item: BackupItem) throws {
    switch item {
    case .origin(let kind, let schema, let current):
      if let current { try sign(with: current) }
      let head = BackupHead(
        store: kind, schema: schema, date: date, recipient: "\(recipient)",
        server: [UInt8](try key.backupSigner().publicKey.rawRepresentation))
      try write(BackupRecord(.head, head.record))
      for key in keys { try write(BackupRecord(.key, key.bytes)) }
    case .table(let table):
      tally.begin(table.name, in: \.tables)
      try write(BackupRecord(.table, table.record))
    case .row(let row):
      tally.count()
      try write(BackupRecord(.row, StoredValue.record(of: row)))
    }
  }

  /// Adds a file after all tables.
  ///
  /// - Parameter content: returns the next bytes of the file; none at the end.
  package func add(file name: String, content: () throws -> [UInt8]) throws {
    tally.begin(name, in: \.files)
    try write(BackupRecord(.file, Array(name.utf8)))
    while case let bytes = try content(), !bytes.isEmpty {
      tally.count(bytes.count)
      for start in stride(from: 0, to: bytes.count, by: BackupRecord.Kind.fileContent.limit) {
        let end = min(bytes.count, start + BackupRecord.Kind.fileContent.limit)
        try write(BackupRecord(.fileContent, [UInt8](bytes[start..<end])))
      }
    }
  }

  /// Writes the manifest and its signature.
  package func finish() throws -> BackupManifest {
    let manifest = tally.finish()
    let record = manifest.record
    try write(BackupRecord(.manifest, record))
    let signature = try key.backupSigner().signature(for: BackupManifest.signed(record))
    try write(BackupRecord(.signature, [UInt8](signature)))
    try encrypter.finish()
    return manifest
  }

  /// The fingerprint to compare when the backup is restored.
  package var fingerprint: String { get throws { try key.fingerprint } }

  private func write(_ record: BackupRecord) throws {
    let bytes = try record.encoded()
    tally.add(bytes)
    try encrypter.write(bytes)
  }
}
