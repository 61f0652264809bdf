internal import Bytes
internal import StrictJSON

/// What differs between two texts, line by line, with some equal lines around each difference.
package struct LineDifference: Sendable, Hashable {
  package struct Line: Sendable, Hashable {
    package enum Kind: String, Sendable { case same, added, removed }

    package var kind: Kind

    /// Counted from 1, in the text that has the line; for equal lines, in the second text.
    package var number: Int
    package var text: String

    /// Sign, number and text as lists show them. Characters that would not be seen, or that change the direction of writing, are written as
    /// `\uXXXX`.
    package var shown: String {
      let sign =
        switch kind {
        case .same: " "
        case .added: "+"
        case .removed: "-"
        }
      var line = "\(sign) \(String(repeating: " ", count: max(0, 4 - String(number).count)))\(number)  "
      for scalar in text.unicodeScalars {
        if scalar == "\t" {
          line += "    "
        } else if scalar.isFitForLine {
          line.unicodeScalars.append(scalar)
        } else {
          line += scalar.utf16.map(Hexadecimal.escape).joined()
        }
      }
      return line
    }
  }

  package private(set) var lines: [Line] = []

  package var added: Int { lines.count { $0.kind == .added } }
  package var removed: Int { lines.count { $0.kind == .removed } }

  /// Equal lines that are shown around a difference.
  private static let context = 2

  /// Above this product of lines, what lies between the first and the last difference is shown as replaced: finding the fewest changes
  /// would take too long.
  private static let mostWork = 4_000_000

  package init(_ before: String, _ after: String) {
    let (old, new) = (Self.lines(of: before), Self.lines(of: after))
    let start = zip(old, new).prefix { $0 == $1 }.count
    let rest = min(old.count, new.count) - start
    let end = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    let (oldPart, newPart) = (old[start..<(old.count - end)], new[start..<(new.count - end)])
    var (gone, come) = (Set(oldPart.indices), Set(newPart.indices))
    if oldPart.count * newPart.count <= Self.mostWork {
      let changes = Array(newPart).difference(from: Array(oldPart))
      (gone, come) = ([], [])
      for change in changes {
        switch change {
        case .remove(let offset, _, _): gone.insert(start + offset)
        case .insert(let offset, _, _): come.insert(start + offset)
        }
      }
    }
    var all: [Line] = []
    var (one, other) = (0, 0)
    while one < old.count || other < new.count {
      if gone.contains(one) {
        all.append(Line(kind: .removed, number: one + 1, text: old[one]))
        one += 1
      } else if come.contains(other) {
        all.append(Line(kind: .added, number: other + 1, text: new[other]))
        other += 1
      } else {
        all.append(Line(kind: .same, number: other + 1, text: new[other]))
        (one, other) = (one + 1, other + 1)
      }
    }
    let changed = all.indices.filter { all[$0].kind != .same }
    let shown = Set(
      changed.flatMap { max(0, $0 - Self.context)...min(all.count - 1, $0 + Self.context) })
    lines = all.indices.filter(shown.contains).map { all[$0] }
  }

  /// A text without characters has no lines; a line end at its end begins none. All that a script takes for a line end is one, so that
  /// nothing hides behind a comment.
  private static func lines(of text: String) -> [String] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
