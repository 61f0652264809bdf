package import Foundation
package import StrictJSON
import TerminalText

/// What a list shows of each row: a column of its table, a member of its JSON, or both.
package struct Column<Row> {
  /// What stands above the column; `nil` when the table does not have it.
  let head: String?

  /// The member's name; `nil` when the JSON does not have it.
  let member: String?

  let text: (Row) -> String
  let json: (Row) -> JSONValue

  package init(
    _ head: String?, _ member: String?, text: @escaping (Row) -> String, json: @escaping (Row) -> JSONValue
  ) {
    (self.head, self.member, self.text, self.json) = (head, member, text, json)
  }

  /// A text, or nothing: then the table has `none`, and the JSON `null`.
  package init(
    _ head: String?, _ member: String? = nil, none: String = "", _ value: @escaping (Row) -> String?
  ) {
    self.init(head, member) {
      value($0) ?? none
    } json: {
      value($0).map { .string($0) } ?? .null
    }
  }

  package init(_ head: String?, _ member: String? = nil, number: @escaping (Row) -> Int) {
    self.init(head, member) {
      String(number($0))
    } json: {
      .integer(Int64(number($0)))
    }
  }

  /// A point in time: in words, and as ISO 8601 has it; `-` and `null` for none.
  package init(_ head: String?, _ member: String? = nil, time: @escaping (Row) -> Date?) {
    self.init(head, member) {
      time($0).map { Times.text($0) } ?? "-"
    } json: {
      time($0).map { .string($0.formatted(.iso8601)) } ?? .null
    }
  }

  /// A member that the table does not have.
  package init(member: String, _ json: @escaping (Row) -> JSONValue) {
    self.init(nil, member, text: { _ in "" }, json: json)
  }
}

extension Column<JSONValue> {
  /// A member of the server's own record, if that is a text.
  package init(_ head: String, of member: String, none: String = "") {
    self.init(head, none: none) { $0[member]?.stringValue }
  }
}

extension Array {
  /// The members of a row, in the order of the columns.
  package func record<Row>(of row: Row) -> JSONObject where Element == Column<Row> {
    var object = JSONObject()
    for column in self { if let name = column.member { object[name] = column.json(row) } }
    return object
  }
}

extension Output {
  /// Prints a list: as JSON, or as a table.
  ///
  /// - Parameters:
  ///   - record: The JSON of a row; that of the columns without it.
  ///   - none: What to say on standard error when there are no rows; without it the table's head stands alone.
  ///   - cutsLast: Whether the last column is cut so that each row has one line.
  package static func list<Row>(
    _ rows: [Row], _ columns: [Column<Row>], isJSON: Bool, none: String? = nil, cutsLast: Bool = false,
    record: ((Row) -> JSONValue)? = nil
  ) {
    guard !isJSON else {
      return json(.array(rows.map { record?($0) ?? .object(columns.record(of: $0)) }))
    }
    let shown = columns.filter { $0.head != nil }
    table(rows, head: shown.compactMap(\.head), none: none, cutsLast: cutsLast) { row in
      shown.map { $0.text(row) }
    }
  }

  /// Says what was done: as one object on standard output, or in a sentence on standard error.
  package static func done(_ sentence: String, _ object: JSONObject, isJSON: Bool) {
    if isJSON { json(.object(object)) } else { remark(sentence) }
  }

  /// Prints a result: as one object, or as text; both on standard output.
  package static func result(_ text: String, _ object: JSONObject, isJSON: Bool) {
    if isJSON { json(.object(object)) } else { line(text) }
  }
}
