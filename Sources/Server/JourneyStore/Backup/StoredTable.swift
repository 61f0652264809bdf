internal import BackupFormats
internal import StrictJSON

/// A table of a store as a backup has it: its name, and its columns with their types.
package struct StoredTable: Sendable, Hashable {
  package struct Column: Sendable, Hashable {
    package let name: String
    package let kind: StoredValue.Kind

    package init(_ name: String, _ kind: StoredValue.Kind) { (self.name, self.kind) = (name, kind) }
  }

  package let name: String
  package let columns: [Column]

  /// More than any store has.
  private static let mostColumns = 128

  package init(_ name: String, _ columns: [Column]) { (self.name, self.columns) = (name, columns) }

  /// Reads what ``record`` wrote.
  ///
  /// - Throws: `BackupFault` for names that no table of a store has: they become part of statements.
  init(record: [UInt8]) throws {
    let value = try? JSONValue(parsing: record, limits: JSONLimits(maximumBytes: 1 << 20, maximumDepth: 4))
    let columns = (value?["columns"]?.arrayValue ?? []).compactMap { column -> Column? in
      guard let name = column[0]?.stringValue, Self.isName(name),
        let kind = column[1]?.stringValue.flatMap(StoredValue.Kind.init)
      else { return nil }
      return Column(name, kind)
    }
    guard let name = value?["name"]?.stringValue, Self.isName(name), !columns.isEmpty,
      columns.count <= Self.mostColumns, columns.count == value?["columns"]?.arrayValue?.count,
      Set(columns.map(\.name)).count == columns.count
    else {
      throw BackupFault(.format, "one of its tables is described in a way that this version does not know")
    }
    self.init(name, columns)
  }

  var record: [UInt8] {
    let columns = columns.map { JSONValue.array([.string($0.name), .string($0.kind.rawValue)]) }
    return Array(JSONValue.object(["name": .string(name), "columns": .array(columns)]).text.utf8)
  }

  private static func isName(_ text: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return (1...63).contains(text.utf8.count) && text.utf8.first.map(letters.contains) == true
      && text.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
  }

  /// The index of the column in rows; `nil` when they do not have it.
  func index(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

  /// The statement's list of columns.
  package var columnList: String { columns.map(\.name).joined(separator: ", ") }

  /// The order of the rows: numbered rows must come in the order of their numbers; for other tables any order will do.
  package var order: String { index(of: "number") == nil ? "" : " ORDER BY number" }
}
