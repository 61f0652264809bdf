@testable import BackupFormats
import Crypto
import Foundation
@testable import JourneyStore

extension FuzzTarget {
  /// Only what was encrypted here opens, only what the server signed is taken, and keys, records, tables and rows have one form each.
  static let backup = FuzzTarget(
    seeds: {
      [sealed, content, identity.file, Array("\(identity.recipient)".utf8), table.record, row]
    },
    check: { bytes in
      if let read = try? BackupIdentity(file: bytes) {
        let again = try? BackupIdentity(file: read.file)
        expect(again?.recipient == read.recipient, "a private key is another one when it is read again")
      }
      if let text = String(validating: bytes, as: UTF8.self), let read = try? BackupRecipient(text) {
        expect("\(read)" == text, "a public key has two texts")
      }
      if let read = try? StoredTable(record: bytes) {
        expect(
          (try? StoredTable(record: read.record)) == read, "a table is another one when it is read again")
        expect(read.columns.count <= 128, "a table has more columns than it may")
      }
      if let values = try? StoredValue.row(record: bytes, of: table) {
        let record = StoredValue.record(of: values)
        let again = (try? StoredValue.row(record: record, of: table)).map { StoredValue.record(of: $0) }
        expect(
          values.count == table.columns.count && again == record, "a row is another one when it is read again"
        )
      }
      expect(content.starts(with: opened(bytes)), "what was not encrypted here opens")

      let file = encrypted(bytes)
      expect(opened(file) == bytes, "what was encrypted does not open")
      checkRecords(of: file, holding: bytes)
      guard let reader = try? BackupReader(identity, input: pieces(of: file)) else { return }
      do {
        while try reader.next() != nil {}
        _ = try reader.finish { name, _ in
          expect(name.hasPrefix("events.jsonl") && !name.contains("/"), "a file has a name of its own choice")
        }
        expect(bytes == content, "a backup is taken that the server did not sign")
      } catch {}
    })

  /// The records that were read, written again, are what was read.
  private static func checkRecords(of file: [UInt8], holding bytes: [UInt8]) {
    guard let decrypter = try? BackupDecrypter(identity, input: pieces(of: file)) else { return }
    var records = BackupRecordReader(decrypter)
    var again: [UInt8] = []
    do {
      while let record = try records.next() { again += try record.encoded() }
      expect(again == bytes, "a record has two forms")
    } catch {
      expect(bytes.starts(with: again), "a record is not what was written")
    }
  }

  /// What can be decrypted of a file, up to the first piece that does not open.
  private static func opened(_ file: [UInt8]) -> [UInt8] {
    guard var decrypter = try? BackupDecrypter(identity, input: pieces(of: file)) else { return [] }
    var content: [UInt8] = []
    while let piece = try? decrypter.next() { content += piece }
    return content
  }

  private static func encrypted(_ bytes: [UInt8]) -> [UInt8] {
    var file: [UInt8] = []
    do {
      var encrypter = try BackupEncrypter(to: identity.recipient) { file += $0 }
      try encrypter.write(bytes)
      try encrypter.finish()
    } catch { expect(false, "nothing can be encrypted: \(error)") }
    return file
  }

  /// A file's bytes, in pieces of an odd length.
  private static func pieces(of file: [UInt8]) -> () -> [UInt8] {
    var rest = file[...]
    return {
      defer { rest = rest.dropFirst(4099) }
      return Array(rest.prefix(4099))
    }
  }

  private static let identity: BackupIdentity = {
    let bytes = [UInt8](repeating: 5, count: 32)
    let checksum = SHA256.hash(data: Array("SEALRING-IDENTITY-".utf8) + bytes).prefix(4)
    let text = Data(bytes + checksum).base64EncodedString().replacing("+", with: "-").replacing(
      "/", with: "_"
    )
    .replacing("=", with: "")
    guard let identity = try? BackupIdentity(file: Array("SEALRING-IDENTITY-\(text)".utf8)) else {
      fatalError("the fixed key is none")
    }
    return identity
  }()

  /// A column of each kind.
  private static let table = StoredTable(
    "evidence",
    [
      .init("number", .integer), .init("line", .text), .init("hash", .bytes), .init("time", .real),
      .init("is_active", .flag),
    ])

  private static let row = StoredValue.record(of: [
    .integer(1), .text("line"), .bytes([1, 2, 3]), .real(0.5), .flag(true),
  ])

  /// A backup with two rows and a file, which the server signed.
  private static let sealed: [UInt8] = {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sealring-fuzz-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    var file: [UInt8] = []
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let key = folder.appending(path: "server.key")
      try Data(repeating: 3, count: 32).write(to: key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
      let writer = try BackupWriter(
        to: identity.recipient, keyIn: folder, at: Date(timeIntervalSince1970: 1_800_000_000)
      ) { file += $0 }
      try writer.add(.origin(.sqlite, schema: 20))
      try writer.add(.table(.init("evidence", [.init("number", .integer), .init("line", .text)])))
      for number in 1...2 { try writer.add(.row([.integer(Int64(number)), .text("line")])) }
      var parts: [[UInt8]] = [[], Array("{}\n".utf8)]
      try writer.add(file: "events.jsonl") { parts.popLast() ?? [] }
      _ = try writer.finish()
    } catch { fatalError("no backup can be made: \(error)") }
    return file
  }()

  private static let content = opened(sealed)
}
