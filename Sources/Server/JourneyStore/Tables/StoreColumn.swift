/// A column of a ``StoreTable``.
package struct StoreColumn: Sendable {
  package let name: String
  package let type: Kind
  package fileprivate(set) var isOptional = false

  /// The default value; `isAlways` is `false` where only rows from before the column need it.
  fileprivate(set) var initial: (sql: String, isAlways: Bool)?

  /// SQL that follows in the definition, in one kind of database or all.
  fileprivate(set) var extra: (sql: String, only: StoreKind?)?

  /// The name under which the column's content is sealed: these words, and the content of another column of the row.
  fileprivate(set) var secret: (words: String, subject: String)?

  /// `nil` for a column that came with its table.
  fileprivate(set) var since: SchemaSince?

  /// What a column holds.
  package enum Kind: String, Sendable {
    case flag, integer
    /// A length of time.
    case seconds
    /// Seconds since 1970, so that `datetime(created_at, 'unixepoch')` reads them.
    case moment
    case text
    /// Text that is compared byte by byte.
    case key
    case json
    case bytes
    /// Bytes that are encrypted under a server key.
    case sealed

    func sql(in kind: StoreKind) -> String {
      let (sqlite, postgres) =
        switch self {
        case .flag: ("INTEGER", "boolean")
        case .integer: ("INTEGER", "bigint")
        case .seconds, .moment: ("REAL", "double precision")
        case .text, .json: ("TEXT", "text")
        case .key: ("TEXT", "text COLLATE \"C\"")
        case .bytes, .sealed: ("BLOB", "bytea")
        }
      return kind == .sqlite ? sqlite : postgres
    }
  }

  fileprivate init(_ name: String, _ type: Kind) { (self.name, self.type) = (name, type) }

  /// The column as a statement defines it.
  ///
  /// - Parameter isAdded: Whether it came after its table.
  func definition(in kind: StoreKind, isAdded: Bool) -> String {
    var words = [name, type.sql(in: kind)]
    if !isOptional { words.append("NOT NULL") }
    if let initial, initial.isAlways || isAdded { words.append("DEFAULT \(initial.sql)") }
    if let extra, extra.only ?? kind == kind { words.append(extra.sql) }
    return words.joined(separator: " ")
  }
}

/// Columns that have the same type, one after the other.
struct StoreColumns: Sendable {
  private(set) var all: [StoreColumn]

  private init(_ names: [String], _ type: StoreColumn.Kind) { all = names.map { StoreColumn($0, type) } }

  static func flag(_ names: String...) -> Self { Self(names, .flag) }
  static func integer(_ names: String...) -> Self { Self(names, .integer) }
  static func seconds(_ names: String...) -> Self { Self(names, .seconds) }
  static func moment(_ names: String...) -> Self { Self(names, .moment) }
  static func text(_ names: String...) -> Self { Self(names, .text) }
  static func key(_ names: String...) -> Self { Self(names, .key) }
  static func json(_ names: String...) -> Self { Self(names, .json) }
  static func bytes(_ names: String...) -> Self { Self(names, .bytes) }

  static let accountKey = Self.key("realm_key", "name_key")

  /// The account that the row belongs to: its key, and its names as its own record spells them.
  static let account = Self(accountKey.all + text("realm", "username").all)

  /// - Parameters:
  ///   - words: the beginning of the name under which it is sealed.
  ///   - subject: the column whose content ends the name.
  static func sealed(as words: String, _ subject: String) -> Self {
    Self(["sealed"], .sealed).changed { $0.secret = (words, subject) }
  }

  /// The key of a table that has one row.
  static let onlyRow = integer("id").followed(by: "CHECK (id = 1)")

  /// The time when a row was added, which orders rows of the same date. It is not a sequence, which all servers would wait for; SQLite
  /// numbers rows itself.
  static let added = moment("added_at").initially(
    "extract(epoch FROM clock_timestamp())", always: true
  ).since(nil, 1)

  private init(_ all: [StoreColumn]) { self.all = all }

  private func changed(_ change: (inout StoreColumn) -> Void) -> Self {
    var copy = self
    for index in copy.all.indices { change(&copy.all[index]) }
    return copy
  }

  /// May be null.
  var optional: Self { changed { $0.isOptional = true } }

  /// - Parameter always: `false` where only rows from before the column need the value.
  func initially(_ sql: String, always: Bool = false) -> Self { changed { $0.initial = (sql, always) } }

  func followed(by sql: String, only kind: StoreKind? = nil) -> Self { changed { $0.extra = (sql, kind) } }

  /// The migrations that added the columns to their table.
  func since(_ sqlite: Int?, _ postgres: Int?) -> Self {
    changed { $0.since = SchemaSince(sqlite, postgres) }
  }
}
