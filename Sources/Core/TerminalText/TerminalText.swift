internal import Bytes

/// Makes outside text safe for a terminal: it cannot control the terminal, reorder the text around it, or pass for a line of the program.
package enum TerminalText {
  /// The width of lines in columns: two less than the narrowest common terminal, so that nothing wraps.
  package static let columns = 78

  /// `text` as one line: without characters that control the terminal, change the direction of writing or show nothing, and
  /// with single blanks.
  ///
  /// - Parameter columns: Where the line is cut, with `…` as its end; `nil` keeps all of it.
  package static func line(_ text: String, columns: Int? = nil) -> String {
    let line = text.onOneLine
    guard let columns, width(of: line) > columns else { return line }
    return prefix(of: line, columns: columns - 1) + "…"
  }

  /// `text` as one line, cut at its beginning with `…`, because the registered domain is at the end of a host name.
  package static func end(of text: String, columns: Int) -> String {
    let line = text.onOneLine
    guard width(of: line) > columns else { return line }
    return "…" + String(prefix(of: String(line.reversed()), columns: columns - 1).reversed())
  }

  /// The prefix of each line of outside text, which no line of the program has.
  private static let mark = "  | "

  /// Whole lines of outside text, each marked with the prefix.
  private static func marked(_ lines: [String]) -> String {
    lines.map { $0.isEmpty ? "  |\n" : "\(mark)\($0)\n" }.joined()
  }

  /// Outside text with marks: each line begins with `  | `, including each part of a line that is broken.
  ///
  /// - Parameters:
  ///   - texts: One after the other; empty ones are left out, and line breaks within them count as blanks.
  ///   - lines: The maximum number of lines, so that the text above stays on the screen; the rest is left out. `nil` for text that must
  ///     be seen to its end.
  /// - Returns: Whole lines, or nothing.
  package static func quoted(_ texts: [String], lines: Int? = 10) -> String {
    var all = texts.flatMap { wrapped(line($0), columns: columns - mark.count) }
    if let lines, all.count > lines { all[(lines - 1)...] = ["…"] }
    return marked(all)
  }

  /// All lines of outside text, marked as in ``quoted(_:lines:)``. The rest of a line that wraps is indented, so that it cannot pass
  /// for another line. Empty lines stay.
  package static func statement(_ texts: [String]) -> String {
    marked(
      texts.flatMap { text in
        let parts = wrapped(line(text), columns: columns - mark.count - 6)
        return [parts.first ?? ""] + parts.dropFirst().map { "      \($0)" }
      })
  }

  /// A server's address on one line, as scheme, host, port and path. A user name before the host is left out, because it could pass for
  /// the host. A long host loses its beginning, so that the registered domain stays in sight.
  package static func address(_ text: String, columns: Int = 60) -> String {
    let text = line(text)
    // Bytes, as browsers cut it: a slash and a mark after it are one `Character`.
    guard let separator = text.utf8.firstRange(of: "://".utf8) else { return line(text, columns: columns) }
    let (scheme, rest) = (String(text[..<separator.upperBound]), text.utf8[separator.upperBound...])
    let authority = rest.prefix { !"/?#\\".utf8.contains($0) }
    let hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map { rest.index(after: $0) }
    let host = String(text[(hostStart ?? authority.startIndex)..<authority.endIndex])
    let path = String(text[authority.endIndex...])
    guard width(of: scheme + host + path) > columns else { return scheme + host + path }
    let end = line(path, columns: 16)
    return scheme + self.end(of: host, columns: columns - width(of: scheme + end)) + end
  }

  /// Names and values in two columns. A long value continues below itself, where no name stands, so that it cannot pass for another
  /// pair. Pairs without a value are left out.
  ///
  /// - Parameter lines: The maximum number of lines of a value, so that the other pairs stay on the screen; the rest is cut with `…`.
  ///   `nil` for values that must be seen to their end.
  package static func rows(_ rows: [(name: String, value: String)], lines: Int? = 5) -> String {
    let rows = rows.map { (name: line($0.name, columns: columns / 3), value: line($0.value)) }
      .filter { !$0.value.isEmpty }
    let widest = rows.map { width(of: $0.name) }.max() ?? 0
    let room = columns - widest - 4
    return rows.map { name, value in
      var parts = wrapped(value, columns: room)
      if let lines, parts.count > lines {
        parts = parts.prefix(lines - 1) + [prefix(of: parts[lines - 1], columns: room - 1) + "…"]
      }
      let gap = String(repeating: " ", count: widest - width(of: name) + 2)
      let below = "\n" + String(repeating: " ", count: widest + 4)
      return "  \(name)\(gap)\(parts.joined(separator: below))\n"
    }.joined()
  }

  /// `text` with lines longer than ``columns`` broken between words. Words stay whole, so that an address or a command's name can be
  /// copied. Shorter lines stay as they are.
  package static func folded(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard width(of: String(line)) > columns else { return String(line) }
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      var (lines, current) = ([String](), String(words.first ?? ""))
      for word in words.dropFirst() {
        // Blanks at the beginning are indentation and stay with the first word.
        if width(of: current) + 1 + width(of: String(word)) > columns, current.contains(where: { $0 != " " })
        {
          lines.append(current)
          current = String(word)
        } else {
          current += " " + word
        }
      }
      return (lines + [current]).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  // MARK: Columns

  /// Begins a line that continues the last word of the line above: without it, a broken word could pass for two, and two for one.
  private static let continuation = "…"

  /// The lines that `line` is broken into, at blanks where there are some.
  private static func wrapped(_ line: String, columns: Int) -> [String] {
    var (lines, current): ([String], String) = ([], "")
    for word in line.split(separator: " ") {
      var rest = word
      if !current.isEmpty {
        let head = prefix(of: word, columns: columns - width(of: current) - 1)
        if head.endIndex == word.endIndex {
          current += " " + word
          continue
        }
        lines.append(current)
        current = ""
      }
      while true {
        let head = prefix(of: rest, columns: columns - width(of: current))
        current += head
        rest = rest[head.endIndex...]
        if rest.isEmpty { break }
        lines.append(current)
        current = continuation
      }
    }
    if !current.isEmpty { lines.append(current) }
    return lines
  }

  private static func prefix(of line: String, columns: Int) -> String {
    String(prefix(of: line[...], columns: columns))
  }

  private static func prefix(of line: Substring, columns: Int) -> Substring {
    var used = 0
    return line.prefix { character in
      used += width(of: character)
      return used <= columns
    }
  }

  /// How many columns `line` takes.
  package static func width(of line: String) -> Int { line.reduce(0) { $0 + width(of: $1) } }

  /// How many columns terminals give a character; when in doubt, two.
  private static func width(of character: Character) -> Int {
    let isWide = character.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F000...0x1FAFF, 0x20000...0x3FFFD:
        true
      default: scalar.properties.isEmojiPresentation || scalar.value == 0xFDFD
      }
    }
    return isWide ? 2 : 1
  }
}
