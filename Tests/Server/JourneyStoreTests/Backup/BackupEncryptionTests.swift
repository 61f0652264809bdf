import CommonFixtures
import Foundation
import Testing

@testable import BackupFormats

@Suite("The encryption of backups") struct BackupEncryptionTests {
  private static let piece = BackupEncryption.pieceLength
  private static let sealed = BackupEncryption.pieceLength + BackupEncryption.tagLength
  private static let head =
    BackupEncryption.preamble.count + BackupRecipient.length + BackupEncryption.encapsulatedLength

  static func encrypt(_ content: [UInt8], to recipient: BackupRecipient) throws -> [UInt8] {
    var file: [UInt8] = []
    var encrypter = try BackupEncrypter(to: recipient) { file += $0 }
    // In pieces of other sizes than the file's.
    for start in stride(from: 0, to: content.count, by: 50_000) {
      try encrypter.write(Array(content[start..<min(content.count, start + 50_000)]))
    }
    try encrypter.finish()
    return file
  }

  static func decrypt(_ file: [UInt8], with identity: BackupIdentity) throws -> [UInt8] {
    var rest = file[...]
    var decrypter = try BackupDecrypter(identity) {
      defer { rest = rest.dropFirst(70_001) }
      return Array(rest.prefix(70_001))
    }
    var content: [UInt8] = []
    while let piece = try decrypter.next() { content += piece }
    return content
  }

  private static func content(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 / 251) }
  }

  private func expectDamage(_ file: [UInt8], _ identity: BackupIdentity) {
    #expect { try Self.decrypt(file, with: identity) } throws: { ($0 as? BackupFault)?.code == .damaged }
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
  func `what was encrypted comes back, whatever its length`(count: Int) throws {
    let identity = BackupIdentity()
    let content = Self.content(count)
    let file = try Self.encrypt(content, to: identity.recipient)
    #expect(try Self.decrypt(file, with: identity) == content)
    #expect(try Self.decrypt(file, with: BackupIdentity(file: identity.file)) == content)
  }

  @Test func `a cut shows, wherever it is, also between two pieces`() throws {
    let identity = BackupIdentity()
    let file = try Self.encrypt(Self.content(3 * Self.piece), to: identity.recipient)
    let ends = [
      Self.head, Self.head + 1, Self.head + Self.sealed - 1, Self.head + Self.sealed,
      Self.head + 2 * Self.sealed, file.count - 1,
    ]
    for end in ends { expectDamage(Array(file.prefix(end)), identity) }
    expectDamage(Array(file.prefix(Self.head - 1)), identity)
  }

  @Test func `pieces that are moved, repeated, left out or added show`() throws {
    let identity = BackupIdentity()
    let file = try Self.encrypt(Self.content(3 * Self.piece), to: identity.recipient)
    let head = file.prefix(Self.head)
    let pieces = (0..<3).map { file[(Self.head + $0 * Self.sealed)..<(Self.head + ($0 + 1) * Self.sealed)] }
    for order in [[1, 0, 2], [0, 0, 2], [0, 0, 1, 2], [0, 2], [1, 2], [2], [0, 1, 2, 2]] {
      expectDamage(Array(head) + order.flatMap { pieces[$0] }, identity)
    }
    expectDamage(file + [0], identity)
    // Of another backup to the same key.
    let other = try Self.encrypt(Self.content(3 * Self.piece), to: identity.recipient)
    expectDamage(Array(head) + other.dropFirst(Self.head), identity)
  }

  @Test func `a changed bit shows, wherever it is`() throws {
    let identity = BackupIdentity()
    let file = try Self.encrypt(Self.content(100), to: identity.recipient)
    for index in file.indices {
      var changed = file
      changed[index] ^= 0x10
      #expect(throws: BackupFault.self) { try Self.decrypt(changed, with: identity) }
    }
  }

  @Test func `another private key is named, and no content comes out`() throws {
    let (identity, other) = (BackupIdentity(), BackupIdentity())
    let file = try Self.encrypt([1, 2, 3], to: identity.recipient)
    #expect { try Self.decrypt(file, with: other) } throws: { error in
      (error as? BackupFault)?.code == .key && "\(error)".contains("\(identity.recipient)")
    }
  }

  @Test func `a key's text is good for that key alone, and mistyping it shows`() throws {
    let identity = BackupIdentity()
    let text = "\(identity.recipient)"
    #expect(try BackupRecipient(text) == identity.recipient)
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      #expect(throws: BackupFault.self) { try BackupRecipient(changed) }
    }
    for wrong in ["", text + "A", String(text.dropLast()), " " + text] {
      #expect(throws: BackupFault.self) { try BackupRecipient(wrong) }
    }
    let secret = String(decoding: identity.file, as: UTF8.self)
    let line = try #require(secret.split(separator: "\n").last)
    #expect { try BackupRecipient(String(line)) } throws: { "\($0)".contains("private key") }
    #expect(throws: BackupFault.self) { try BackupIdentity(file: Array(text.utf8)) }
    #expect(throws: BackupFault.self) { try BackupIdentity(file: identity.file + identity.file) }
    #expect(!"\(identity)".contains(line.suffix(20)))
  }

  @Test func `records that are too long or of an unknown kind are refused before they are read`() throws {
    let identity = BackupIdentity()
    func fault(_ content: [UInt8]) throws -> BackupFault.Code? {
      var rest: [UInt8]? = try Self.encrypt(content, to: identity.recipient)
      var reader = BackupRecordReader(
        try BackupDecrypter(identity) {
          defer { rest = nil }
          return rest ?? []
        })
      do {
        while try reader.next() != nil {}
        return nil
      } catch let fault as BackupFault { return fault.code }
    }
    let kind = BackupRecord.Kind.row.rawValue
    #expect(try fault([kind, 0, 0, 0, 2, 7, 7]) == nil)
    #expect(try fault([kind, 0x7F, 0xFF, 0xFF, 0xFF]) == .tooLarge)
    #expect(try fault([kind, 0, 0, 0, 3, 7, 7]) == .damaged)
    #expect(try fault([0x7A, 0, 0, 0, 0]) == .format)
    #expect(throws: BackupFault.self) {
      try BackupRecord(.key, [UInt8](repeating: 0, count: 5000)).encoded()
    }
  }
}
