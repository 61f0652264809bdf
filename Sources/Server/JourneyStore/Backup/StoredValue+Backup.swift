internal import BackupFormats
internal import Bytes

/// Rows as a backup holds them: for each value a byte that gives its type, and its content. Numbers have eight bytes, the highest first;
/// reals are the bits of IEEE 754; text and bytes have their length before them, in four bytes.
extension StoredValue {
  private enum Mark: UInt8 { case null, no, yes, integer, real, text, bytes }

  static func record(of row: [StoredValue]) -> [UInt8] {
    var record: [UInt8] = []
    for value in row { value.append(to: &record) }
    return record
  }

  private func append(to record: inout [UInt8]) {
    func add(_ mark: Mark, _ content: [UInt8] = []) {
      record.append(mark.rawValue)
      record += content
    }
    func add(_ mark: Mark, counting content: some Collection<UInt8>) {
      add(mark, UInt32(content.count).bigEndianBytes)
      record += content
    }
    switch self {
    case .null: add(.null)
    case .flag(let value): add(value ? .yes : .no)
    case .integer(let value): add(.integer, value.bigEndianBytes)
    case .real(let value): add(.real, value.bitPattern.bigEndianBytes)
    case .text(let value): add(.text, counting: value.utf8)
    case .bytes(let value): add(.bytes, counting: value)
    }
  }

  /// - Throws: `BackupFault` unless the record has exactly one value of the right kind for each column.
  static func row(record: [UInt8], of table: StoredTable) throws -> [StoredValue] {
    var rest = record[...]
    func damaged() -> BackupFault {
      BackupFault(.damaged, "a row of its table \(table.name) is not a row of that table")
    }
    func take(_ count: Int) throws -> ArraySlice<UInt8> {
      guard rest.count >= count else { throw damaged() }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    func number(_ count: Int) throws -> UInt64 { try take(count).reduce(0) { $0 << 8 | UInt64($1) } }
    let values = try table.columns.map { column -> StoredValue in
      guard let mark = Mark(rawValue: try take(1).first ?? .max) else { throw damaged() }
      let value: StoredValue
      switch mark {
      case .null: value = .null(column.kind)
      case .no: value = .flag(false)
      case .yes: value = .flag(true)
      case .integer: value = .integer(Int64(bitPattern: try number(8)))
      case .real: value = .real(Double(bitPattern: try number(8)))
      case .text:
        guard let text = String(validating: try take(Int(try number(4))), as: UTF8.self) else {
          throw damaged()
        }
        value = .text(text)
      case .bytes: value = .bytes([UInt8](try take(Int(try number(4)))))
      }
      guard let value = value.converted(to: column.kind) else { throw damaged() }
      return value
    }
    guard rest.isEmpty else { throw damaged() }
    return values
  }

  /// The same value in a column of `kind`, because not all databases have flags. `nil` when there is none.
  package func converted(to kind: Kind) -> StoredValue? {
    switch (self, kind) {
    case (.null, _): .null(kind)
    case (.flag, .flag), (.integer, .integer), (.real, .real), (.text, .text), (.bytes, .bytes): self
    case (.integer(0), .flag): .flag(false)
    case (.integer(1), .flag): .flag(true)
    case (.flag(let value), .integer): .integer(value ? 1 : 0)
    case (.integer(let value), .real): Double(exactly: value).map(StoredValue.real)
    default: nil
    }
  }
}
