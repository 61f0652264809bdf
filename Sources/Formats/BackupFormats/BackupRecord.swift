internal import Bytes

/// A record of a backup's content: a byte for the kind, four for the length, and the bytes themselves.
package struct BackupRecord: Sendable, Hashable {
  package enum Kind: UInt8, Sendable {
    case head = 0x48  // H
    case key = 0x4B  // K
    case table = 0x54  // T
    case row = 0x52  // R
    case file = 0x46  // F
    case fileContent = 0x42  // B
    case manifest = 0x4D  // M
    case signature = 0x53  // S

    /// Most bytes of a record. JSON in a row has at most 16 MiB in a store.
    package var limit: Int {
      switch self {
      case .head, .manifest, .table: 1 << 20
      case .key, .signature, .file: 4096
      case .row: 32 << 20
      case .fileContent: 256 << 10
      }
    }
  }

  package let kind: Kind
  package let content: [UInt8]

  package init(_ kind: Kind, _ content: [UInt8]) { (self.kind, self.content) = (kind, content) }

  /// The record as it is written, and as hashes and the signature cover it.
  ///
  /// - Throws: ``BackupFault`` when it is longer than it may be: nobody could read it.
  package func encoded() throws(BackupFault) -> [UInt8] {
    guard content.count <= kind.limit else {
      throw BackupFault(.tooLarge, "a record of \(content.count) bytes is too long for a backup")
    }
    return [kind.rawValue] + UInt32(content.count).bigEndianBytes + content
  }
}

/// Reads records from the content of a backup.
@available(macOS 14, iOS 17, *)
package struct BackupRecordReader {
  private var decrypter: BackupDecrypter
  private var ahead: [UInt8] = []
  private var position = 0

  package init(_ decrypter: BackupDecrypter) { self.decrypter = decrypter }

  package var recipient: BackupRecipient { decrypter.recipient }

  /// The next record; `nil` at the end.
  package mutating func next() throws -> BackupRecord? {
    guard try need(1) else { return nil }
    guard let kind = BackupRecord.Kind(rawValue: ahead[position]), try need(5) else {
      throw BackupFault(.format, "it holds a record of a kind that this version does not know")
    }
    let length = ahead[position + 1..<position + 5].reduce(0) { $0 << 8 | Int($1) }
    guard length <= kind.limit else { throw BackupFault(.tooLarge, "one of its records is too long") }
    guard try need(5 + length) else { throw BackupFault(.damaged, "it ends within a record") }
    let start = position + 5
    position = start + length
    return BackupRecord(kind, [UInt8](ahead[start..<position]))
  }

  /// Whether `count` bytes follow; they are then in `ahead`.
  private mutating func need(_ count: Int) throws -> Bool {
    while ahead.count - position < count {
      guard let piece = try decrypter.next() else { return false }
      if position > 0 {
        ahead.removeFirst(position)
        position = 0
      }
      ahead += piece
    }
    return true
  }
}
