package import Foundation
package import StrictJSON
import TerminalText

/// A column of a list's table, a member of its JSON, or both.
package struct Column<Row> {
  /// The column's heading; `nil` when the table has no such column.
  let head: String?

  /// The member's name; `nil` when the JSON has no such member.
  let member: String?

  let text: (Row) -> String
  let json: (Row) -> JSONValue

  package init(
    _ head: String?, _ member: String?, text: @escaping (Row) -> String, json: @escaping (Row) -> JSONValue
  ) {
    (self.head, self.member, self.text, self.json) = (head, member, text, json)
  }

  /// Creates a column of texts. For `nil` the table shows `none`, and the JSON has `null`.
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

  /// Creates a column of times: in words in the table, ISO 8601 in JSON; `-` and `null` for `nil`.
  package init(_ head: String?, _ member: String? = nil, time: @escaping (Row) -> Date?) {
    self.init(head, member) {
      time($0).map { Times.text($0) } ?? "-"
    } json: {
      time($0).map { .string($0.formatted(.iso8601)) } ?? .null
    }
  }

  /// Creates a member that the table does not show.
  package init(member: String, _ json: @escaping (Row) -> JSONValue) {
    self.init(nil, member, text: { _ in "" }, json: json)
  }
}

extension Column<JSONValue> {
  /// Creates a column from a member of the server's record, if that is a text.
  package init(_ head: String, of member: String, none: String = "") {
    self.init(head, none: none) { $0[member]?.stringValue }
  }
}

extension Array {
  /// The JSON members of a row, in the order of the columns.
  package func record<Row>(of row: Row) -> JSONObject where Element == Column<Row> {
    var object = JSONObject()
    for column in self { if let name = column.member { object[name] = column.json(row) } }
    return object
  }
}

/// What has the flag `--json`, and prints results as it says: options, or a command whose flag has a help text of its own.
package protocol JSONFlag {
  var json: Bool { get }
}

extension JSONFlag {
  /// Prints a list of this program's own data: as JSON, or as a table.
  ///
  /// - Parameters:
  ///   - record: Makes the JSON of a row; `nil` uses the columns.
  ///   - none: The remark when there are no rows; `nil` prints the table's head only.
  ///   - cutsLast: Whether to cut the last column so that each row has one line.
  package func list<Row>(
    _ rows: [Row], _ columns: [Column<Row>], none: String? = nil, cutsLast: Bool = false,
    record: ((Row) -> JSONValue)? = nil
  ) {
    guard !json else {
      return Output.json(.array(rows.map { record?($0) ?? .object(columns.record(of: $0)) }))
    }
    let shown = columns.filter { $0.head != nil }
    Output.table(rows, head: shown.compactMap(\.head), none: none, cutsLast: cutsLast) { row in
      shown.map { $0.text(row) }
    }
  }

  /// Prints a list of a server's records; the JSON has them unchanged.
  package func records(
    _ records: [JSONValue], _ columns: [Column<JSONValue>], none: String? = nil, cutsLast: Bool = false
  ) {
    list(records, columns, none: none, cutsLast: cutsLast) { $0 }
  }

  /// Reports what was done: one object on standard output, or a sentence on standard error.
  package func done(_ sentence: String, _ object: JSONObject) {
    if json { Output.json(.object(object)) } else { Output.remark(sentence) }
  }

  /// Prints a result on standard output: one object, or text.
  package func result(_ text: String, _ object: JSONObject) {
    if json { Output.json(.object(object)) } else { Output.line(text) }
  }
}
