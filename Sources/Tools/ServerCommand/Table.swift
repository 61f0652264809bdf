import TerminalText

/// The layout of a list: rows in columns, or if these do not fit, an uncut block of lines for each row.
struct Table {
  let head: [String]
  let rows: [[String]]

  /// The table's text, as complete lines.
  ///
  /// - Parameter cutsLast: Whether to cut the last column, with a mark, so that each row has one line.
  func text(columns: Int, cutsLast: Bool = false) -> String {
    if cutsLast, let last = head.indices.last {
      let others = head.indices.dropLast().map { column in
        (([head] + rows).map { TerminalText.width(of: $0[column]) }.max() ?? 0) + 2
      }
      // A column narrower than a word or two would be useless.
      let rest = max(columns - others.reduce(0, +), 12)
      let cut = rows.map { Array($0.dropLast()) + [TerminalText.line($0[last], columns: rest)] }
      return Table(head: head, rows: cut).text(columns: max(columns, others.reduce(rest, +)))
    }
    let widths = head.indices.map { column in
      ([head] + rows).map { TerminalText.width(of: $0[column]) }.max() ?? 0
    }
    guard widths.reduce(0, +) + 2 * (widths.count - 1) <= columns else {
      return rows.map { block($0, columns: columns) }.joined(separator: "\n")
    }
    return ([head] + rows).map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - TerminalText.width(of: $0)) }
      return cells.joined(separator: "  ").trimmingTrailingSpaces + "\n"
    }.joined()
  }

  /// Names beside values. Values that are too long continue below, broken at blanks, but ids stay whole.
  private func block(_ row: [String], columns: Int) -> String {
    Self.pairs(Array(zip(head, row)).filter { !$1.isEmpty }, columns: columns)
  }

  /// Names and values in two columns, the first at `margin`.
  static func pairs(_ pairs: [(String, String)], columns: Int, margin: Int = 0) -> String {
    let indent = margin + (pairs.map { TerminalText.width(of: $0.0) }.max() ?? 0) + 2
    func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
    return pairs.map { name, value in
      let start = blanks(margin) + name + blanks(indent - margin - TerminalText.width(of: name))
      var lines = [""]
      for word in value.split(separator: " ") {
        let line = lines.removeLast()
        let longer = line.isEmpty ? String(word) : "\(line) \(word)"
        lines +=
          line.isEmpty || TerminalText.width(of: longer) + indent <= columns
          ? [longer] : [line, String(word)]
      }
      return start + lines.joined(separator: "\n" + blanks(indent)) + "\n"
    }.joined()
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
