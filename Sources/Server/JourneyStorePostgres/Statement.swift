internal import Concurrency
internal import Crypto
internal import Foundation
internal import JourneyStore

/// A statement with its values, in the form that PostgreSQL takes.
struct Statement: Sendable {
  let form: StatementForm
  let values: [StoredValue]

  /// - Parameter sql: the text, with placeholders as in ``StatementValues``: `?`, `?1` or `:name`.
  init(_ sql: String, _ values: StatementValues = []) {
    let kinds = values.values.map(\.kind)
    form = StatementForm.known(sql, kinds: kinds, names: values.names)
    self.values = form.order.map { values.values[$0] }
  }

  init(_ statement: SQLStatement) { self.init(statement.sql.postgres, statement.values) }

  /// A statement without values, whose text has no placeholders.
  init(literal sql: String) {
    form = StatementForm(literal: sql)
    values = []
  }
}

/// A statement without its values, made once for each text.
struct StatementForm: Sendable {
  /// The text with placeholders `$1`, `$2` and so on.
  let sql: String

  /// The indices of the given values that stand at `$1`, `$2` and so on.
  let order: [Int]

  /// The types of the placeholders, as PostgreSQL numbers them.
  let types: [UInt32]

  /// Its name as a prepared statement. It is made of text and types, so that statements of one name are equal, whoever has
  /// prepared them on a connection that a pooler hands from one client to the next.
  let name: String

  private struct Key: Hashable {
    let sql: String
    let kinds: [StoredValue.Kind]
    let names: [String]
  }

  /// The form of that name, for callers that look at prepared statements from outside.
  static func named(_ name: String) -> StatementForm? {
    forms.withLock { $0.values.first { $0.name == name } }
  }

  private static let forms = Locked<[Key: StatementForm]>([:])

  /// A bound for pages, whose conditions are put together; the other statements of this program are finite.
  private static let mostForms = 1000

  static func known(_ sql: String, kinds: [StoredValue.Kind], names: [String]) -> StatementForm {
    let key = Key(sql: sql, kinds: kinds, names: names)
    if let form = forms.withLock({ $0[key] }) { return form }
    let form = StatementForm(sql, kinds: kinds, names: names)
    forms.withLock { if $0.count < mostForms { $0[key] = form } }
    return form
  }

  private init(_ given: String, kinds: [StoredValue.Kind], names: [String]) {
    var sql = ""
    var order: [Int] = []
    var next = 0
    func place(_ index: Int) {
      if !order.contains(index) { order.append(index) }
      sql += "$\((order.firstIndex(of: index) ?? 0) + 1)"
    }
    var rest = Substring(given)
    while let character = rest.popFirst() {
      switch character {
      case "'":
        // Literals have no placeholders.
        let end = rest.firstIndex(of: "'").map { rest.index(after: $0) } ?? rest.endIndex
        sql += "'" + rest[..<end]
        rest = rest[end...]
      case "?":
        let digits = rest.prefix(while: \.isNumber)
        rest = rest.dropFirst(digits.count)
        place(Int(digits).map { $0 - 1 } ?? next)
        next += 1
      case ":" where rest.first == ":":
        // A cast.
        rest = rest.dropFirst()
        sql += "::"
      case ":":
        let name = rest.prefix { $0.isLetter || $0.isNumber }
        rest = rest.dropFirst(name.count)
        place(names.firstIndex(of: String(name)) ?? kinds.count)
      default: sql.append(character)
      }
    }
    self.init(sql, order: order, types: order.map { kinds[$0].type })
  }

  fileprivate init(literal sql: String) { self.init(sql, order: [], types: []) }

  private init(_ sql: String, order: [Int], types: [UInt32]) {
    self.sql = sql
    self.order = order
    self.types = types
    let digest = SHA256.hash(data: Data("\(types) \(sql)".utf8))
    name = "sealring_" + digest.prefix(12).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
  }
}

extension StoredValue {
  var kind: Kind {
    switch self {
    case .null(let kind): kind
    case .flag: .flag
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .bytes: .bytes
    }
  }

  /// As it is sent: bytes as they are, everything else in PostgreSQL's text form, which ends in a zero.
  var sent: [UInt8]? {
    switch self {
    case .null: nil
    case .flag(let value): value ? [UInt8(ascii: "t"), 0] : [UInt8(ascii: "f"), 0]
    case .integer(let value): Array(String(value).utf8) + [0]
    case .real(let value): Array(String(value).utf8) + [0]
    // PostgreSQL cannot store a zero byte in text. Only names that nobody has, and what devices send, could hold one.
    case .text(let value): Array(value.replacing("\0", with: "\u{FFFD}").utf8) + [0]
    case .bytes(let value): value
    }
  }
}

extension StoredValue.Kind {
  /// The number of the type in `pg_type`.
  var type: UInt32 {
    switch self {
    case .flag: 16
    case .bytes: 17
    case .integer: 20
    case .text: 25
    case .real: 701
    }
  }
}
