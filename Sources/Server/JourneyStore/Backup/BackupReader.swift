package import BackupFormats
internal import Bytes
internal import Crypto
internal import Foundation

/// Reads a backup: decrypts it, and compares it with the manifest and the server's signature at the end. Until ``finish(file:)`` has
/// returned, anybody may have forged what was read.
@available(macOS 14, iOS 17, *)
package final class BackupReader {
  package let head: BackupHead

  /// The server's keys, 32 bytes each. The first one was in use and has signed. The database tells the keys apart by their ids.
  package let keys: [StoredSecret]

  /// Whether everything by which somebody is signed in is read and verified, but not handed out: sessions, grants of OpenID Connect with
  /// their refresh tokens (also offline ones), the keys of persistent cookies and of OpenID Connect's tokens, and journeys that are under
  /// way. Users' SSH certificates are handed out as revoked, because a list of revocations has only known certificates.
  package var endsSessions = false

  private static let signedIn: Set = ["sessions", "grants", "suspended_journeys"]
  private static let signingIn = [
    ServerKeyRotation.Secret.persistentCookies, ServerKeyRotation.Secret.journeys,
    ServerKeyRotation.Secret.openIDTickets,
  ]

  /// Whether the row is not handed out. Servers make such keys anew.
  private func isLeftOut(_ row: [StoredValue], of table: StoredTable) -> Bool {
    guard endsSessions else { return false }
    guard table.name == "server_secrets" else { return Self.signedIn.contains(table.name) }
    guard case .text(let name)? = table.index(of: "name").map({ row[$0] }) else { return false }
    return Self.signingIn.contains { name == $0 || name.hasPrefix("\($0) ") }
  }

  /// The row, with a user's SSH certificate revoked. Hosts' certificates stay: they sign nobody in, and a machine out of reach could not
  /// get another one.
  private func ended(_ row: [StoredValue], of table: StoredTable) -> [StoredValue] {
    guard endsSessions, table.name == "ssh_certificates", let purpose = table.index(of: "purpose"),
      let revocation = table.index(of: "revoked_at"), row[purpose] == .text(SSHKeyPurpose.user.rawValue),
      case .null = row[revocation]
    else { return row }
    var row = row
    row[revocation] = head.date.storedValue
    return row
  }

  private var records: BackupRecordReader
  private var waiting: BackupRecord?
  private var tally = BackupTally()

  /// What was read so far.
  package var manifest: BackupManifest { tally.manifest }
  private var table: StoredTable?

  /// More than any store has. A server keeps up to 1001 files of events.
  private static let (mostTables, mostFiles, mostKeys) = (256, 2000, 1000)

  /// - Parameter input: returns the next bytes of the file; none at the end.
  /// - Throws: `BackupFault`, and what `input` throws.
  package init(_ identity: BackupIdentity, input: @escaping () throws -> [UInt8]) throws {
    records = BackupRecordReader(try BackupDecrypter(identity, input: input))
    let first = try records.next()
    guard let first, first.kind == .head else { throw Self.disordered }
    head = try BackupHead(record: first.content)
    guard head.recipient == "\(records.recipient)" else {
      throw BackupFault(.damaged, "it was made for another recipient, and somebody encrypted it again")
    }
    tally.add(try first.encoded())
    var keys: [StoredSecret] = []
    waiting = try records.next()
    while let record = waiting, record.kind == .key, keys.count < Self.mostKeys {
      keys.append(StoredSecret(record.content))
      tally.add(try record.encoded())
      waiting = try records.next()
    }
    self.keys = keys
    guard !keys.isEmpty else { throw Self.disordered }
  }

  private static var disordered: BackupFault {
    BackupFault(.format, "its records do not stand in the order of a backup")
  }

  /// The next part of the content, whose origin is in ``head``; `nil` after the last table.
  package func next() throws -> BackupItem? {
    while let record = try peek() {
      switch record.kind {
      case .table:
        let table = try StoredTable(record: record.content)
        guard manifest.tables.count < Self.mostTables,
          !manifest.tables.contains(where: { $0.name == table.name })
        else { throw Self.disordered }
        tally.begin(table.name, in: \.tables)
        self.table = table
        try take(record)
        return .table(table)
      case .row:
        guard let table else { throw Self.disordered }
        tally.count()
        try take(record)
        let row = try StoredValue.row(record: record.content, of: table)
        if !isLeftOut(row, of: table) { return .row(ended(row, of: table)) }
      default: return nil
      }
    }
    return nil
  }

  /// Reads the rest and verifies everything. Call it after ``next()`` has returned `nil`.
  ///
  /// - Parameter file: called with the name and the parts of each file.
  /// - Throws: `BackupFault` when anything is not as the server signed it.
  package func finish(file: (String, [UInt8]) throws -> Void) throws -> BackupManifest {
    while let record = try peek(), record.kind == .file || record.kind == .fileContent {
      if record.kind == .file {
        let name = String(decoding: record.content, as: UTF8.self)
        guard Self.isFileName(name), manifest.files.count < Self.mostFiles,
          !manifest.files.contains(where: { $0.name == name })
        else { throw Self.disordered }
        tally.begin(name, in: \.files)
        try file(name, [])
      } else {
        guard let last = manifest.files.last else { throw Self.disordered }
        tally.count(record.content.count)
        try file(last.name, record.content)
      }
      try take(record)
    }
    let manifest = tally.finish()
    let end = try peek()
    guard let end, end.kind == .manifest,
      let signature = try records.next(), signature.kind == .signature, try records.next() == nil
    else { throw Self.disordered }
    // The manifest is written again from what was read: the same bytes mean the same counts and hashes.
    guard end.content == manifest.record else {
      throw BackupFault(.damaged, "its content is not what its manifest says")
    }
    let signer = try Curve25519.Signing.PublicKey(rawRepresentation: head.server)
    guard signer.isValidSignature(signature.content, for: BackupManifest.signed(end.content)) else {
      throw BackupFault(.damaged, "the signature is not that of the server that it names")
    }
    guard keys.allSatisfy({ $0.reveal().count == ServerKey.length }), try key.fingerprint == head.fingerprint
    else {
      throw BackupFault(.damaged, "the server key in it is not that of the server that signed it")
    }
    return manifest
  }

  /// The server key of the backup, for the secrets of its database. Not to be trusted before ``finish(file:)`` has returned.
  package var key: ServerKey {
    ServerKey(keys.map { LoadedServerKey(bytes: $0.reveal(), place: "the server key in the backup") })
  }

  /// The files of a data folder that hold the keys, by name.
  package var keyFiles: [(name: String, content: StoredSecret)] {
    keys.enumerated().map { index, key in
      (index == 0 ? FolderKeySource.firstName : FolderKeySource.name(of: key.reveal()), key)
    }
  }

  /// Whether it names a file of security events. Other names are refused, because they become names of files.
  static func isFileName(_ name: String) -> Bool {
    let rest = name.dropFirst("events.jsonl".count)
    return name.hasPrefix("events.jsonl") && name.utf8.count < 40
      && (rest.isEmpty
        || rest.first == "." && rest.count > 1 && rest.dropFirst().utf8.allSatisfy { (48...57).contains($0) })
  }

  /// The next record, which is not consumed.
  private func peek() throws -> BackupRecord? {
    if waiting == nil { waiting = try records.next() }
    return waiting
  }

  private func take(_ record: BackupRecord) throws {
    waiting = nil
    tally.add(try record.encoded())
  }
}
