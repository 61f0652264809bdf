import CommonFixtures
import Crypto
import Foundation
import Testing

@testable import BackupFormats
@testable import JourneyStore

/// Backups by those who know the public key, which is no secret, or who may read one.
@Suite("Forged backups") struct ForgedBackupTests {
  /// A backup of a server with one account, its records, and who may read it.
  private func withBackup(
    _ body: (_ file: [UInt8], _ records: [BackupRecord], _ identity: BackupIdentity, _ server: URL)
      async throws -> Void
  ) async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      _ = try await store.addEvidence(.sample(), once: .fresh())
      try await store.close()
      let identity = BackupIdentity()
      var file: [UInt8] = []
      let writer = try BackupWriter(to: identity.recipient, keyIn: folder, at: noon) { file += $0 }
      try await SQLiteBackup(directory: folder).read { try writer.add($0) }
      _ = try writer.finish()
      var records: [BackupRecord] = []
      var rest: [UInt8]? = file
      var reader = BackupRecordReader(
        try BackupDecrypter(identity) {
          defer { rest = nil }
          return rest ?? []
        })
      while let record = try reader.next() { records.append(record) }
      try await body(file, records, identity, folder)
    }
  }

  private func load(_ file: [UInt8], _ identity: BackupIdentity) async throws -> BackupReader {
    var rest: [UInt8]? = file
    let backup = try BackupReader(identity) {
      defer { rest = nil }
      return rest ?? []
    }
    _ = try await SQLiteRestore(file: nil).load(backup) { _, _ in }
    return backup
  }

  /// Reads and verifies all of it, without a database.
  private func read(_ file: [UInt8], _ identity: BackupIdentity) throws {
    var rest: [UInt8]? = file
    let backup = try BackupReader(identity) {
      defer { rest = nil }
      return rest ?? []
    }
    while try backup.next() != nil {}
    _ = try backup.finish { _, _ in }
  }

  private func encrypt(_ records: [BackupRecord], to recipient: BackupRecipient) throws -> [UInt8] {
    try BackupEncryptionTests.encrypt(records.flatMap { try $0.encoded() }, to: recipient)
  }

  @Test func `what was only encrypted anew is the same backup`() async throws {
    try await withBackup { _, records, identity, folder async throws in
      let backup = try await load(encrypt(records, to: identity.recipient), identity)
      #expect(try backup.head.fingerprint == StoreInspection.fingerprint(of: folder))
    }
  }

  @Test func `a changed, added, moved or missing record shows`() async throws {
    try await withBackup { file, records, identity, _ async throws in
      try read(file, identity)
      for (index, record) in records.enumerated() {
        var forged = records
        var content = record.content
        if content.isEmpty { content = [0] } else { content[content.count / 2] ^= 1 }
        forged[index] = BackupRecord(record.kind, content)
        var without = records
        without.remove(at: index)
        var twice = records
        twice.insert(record, at: index)
        for records in [forged, without, twice] {
          let file = try encrypt(records, to: identity.recipient)
          #expect(throws: BackupFault.self, "record \(index)") { try read(file, identity) }
        }
        guard index > 0, records[index - 1] != record else { continue }
        var moved = records
        moved.swapAt(index - 1, index)
        let file = try encrypt(moved, to: identity.recipient)
        #expect(throws: BackupFault.self, "record \(index)") { try read(file, identity) }
      }
    }
  }

  @Test func `somebody who knows the public key can make a backup of his own server only, and it says so`()
    async throws
  {
    try await withBackup { _, _, identity, folder async throws in
      try await withFolder { other in
        try await SQLiteStore(directory: other).close()
        var file: [UInt8] = []
        let writer = try BackupWriter(to: identity.recipient, keyIn: other, at: noon) { file += $0 }
        try await SQLiteBackup(directory: other).read { try writer.add($0) }
        _ = try writer.finish()
        let backup = try await load(file, identity)
        #expect(try backup.head.fingerprint == StoreInspection.fingerprint(of: other))
        #expect(try backup.head.fingerprint != StoreInspection.fingerprint(of: folder))
      }
    }
  }

  @Test func `nobody can claim to be a server without its key`() async throws {
    try await withBackup { _, records, identity, folder async throws in
      // The head of the true server, and everything else with a manifest signed by another key.
      let stranger = Curve25519.Signing.PrivateKey()
      var forged = records
      let manifest = try #require(records.first { $0.kind == .manifest })
      let signature = try stranger.signature(for: BackupManifest.signed(manifest.content))
      forged[forged.count - 1] = BackupRecord(.signature, [UInt8](signature))
      let file = try encrypt(forged, to: identity.recipient)
      await #expect { try await load(file, identity) } throws: { "\($0)".contains("signature") }
    }
  }

  @Test func `a reader of a backup cannot pass it on as made for somebody else`() async throws {
    try await withBackup { _, records, _, _ async throws in
      let other = BackupIdentity()
      let file = try encrypt(records, to: other.recipient)
      await #expect { try await load(file, other) } throws: { "\($0)".contains("another recipient") }
    }
  }

  @Test func `names in a backup never become statements`() throws {
    for name in ["users; DROP TABLE users", "Users", "", "1a", "a b", "ä", String(repeating: "a", count: 64)]
    {
      for text in [
        #"{"name":"\#(name)","columns":[["a","text"]]}"#,
        #"{"name":"users","columns":[["\#(name)","text"]]}"#,
      ] {
        #expect(throws: BackupFault.self, "\(text)") { try StoredTable(record: Array(text.utf8)) }
      }
    }
    for text in [
      "{}", "[]", #"{"name":"a","columns":[["a","text"],["a","text"]]}"#,
      #"{"name":"a","columns":[["a","blob"]]}"#,
    ] {
      #expect(throws: BackupFault.self, "\(text)") { try StoredTable(record: Array(text.utf8)) }
    }
    #expect(throws: StoreError.self) {
      try RowMapping.make(
        StoredTable("users", [.init("surprise", .text)]), to: StoredTable("users", [.init("a", .text)]))
    }
    #expect(throws: StoreError.self) { try RowMapping.make(StoredTable("surprise", []), to: nil) }
  }

  @Test func `rows of any bytes are read or refused, and nothing else`() throws {
    let table = StoredTable(
      "t",
      [.init("a", .text), .init("b", .bytes), .init("c", .integer), .init("d", .real), .init("e", .flag)])
    let row: [StoredValue] = [.text("ä\u{0}"), .bytes([0, 255]), .integer(.min), .real(-0.1), .flag(true)]
    let record = StoredValue.record(of: row)
    #expect(try StoredValue.row(record: record, of: table) == row)
    let nothing: [StoredValue] = table.columns.map { .null($0.kind) }
    #expect(try StoredValue.row(record: StoredValue.record(of: nothing), of: table) == nothing)
    for end in record.indices {
      #expect(throws: BackupFault.self) { try StoredValue.row(record: Array(record.prefix(end)), of: table) }
    }
    #expect(throws: BackupFault.self) { try StoredValue.row(record: record + [0], of: table) }
    var random = SeededGenerator(seed: 14)
    for _ in 0..<20_000 {
      var changed = record
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        changed[Int.random(in: changed.indices, using: &random)] = .random(in: .min ... .max, using: &random)
      }
      if let read = try? StoredValue.row(record: changed, of: table) {
        #expect(read.count == table.columns.count)
      }
    }
  }

  @Test func `a newer backup, and another version's of the other kind, are refused with what to do`() throws {
    func head(_ kind: StoreKind, _ schema: Int, program: String?) throws -> BackupHead {
      let head = BackupHead(
        store: kind, schema: schema, date: noon, recipient: "r", server: [UInt8](repeating: 0, count: 32))
      guard let program else { return head }
      let text = String(decoding: head.record, as: UTF8.self).replacing(
        #""program":"\#(head.program)""#, with: #""program":"\#(program)""#)
      return try BackupHead(record: Array(text.utf8))
    }
    try head(.sqlite, 15, program: "0.0.1").require(.sqlite, schema: 15)
    try head(.postgres, 99, program: nil).require(.sqlite, schema: 15)
    #expect { try head(.sqlite, 16, program: "9.0").require(.sqlite, schema: 15) } throws: {
      "\($0)".contains("newer version")
    }
    #expect { try head(.postgres, 1, program: "0.0.1").require(.sqlite, schema: 15) } throws: {
      "\($0)".contains("its own kind")
    }
  }
}
