import Foundation
import PingBinding
import StrictJSON
import TerminalText

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What commands print. Data go to standard output, everything said about them to standard error.
enum Output {
  /// A line of data.
  static func line(_ text: String = "") { write(text + "\n", to: STDOUT_FILENO) }

  /// Bytes of data as they are.
  static func bytes(_ bytes: [UInt8]) {
    FileHandle(fileDescriptor: STDOUT_FILENO, closeOnDealloc: false).write(Data(bytes))
  }

  /// One JSON value on a line of its own.
  static func json(_ value: JSONValue) { line(value.text) }

  /// A remark for the person, not part of the data.
  static func remark(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Finished lines for standard error.
  static func raw(_ lines: String) { write(lines, to: STDERR_FILENO) }

  private static func raw(_ lines: String, to descriptor: Int32) { write(lines, to: descriptor) }

  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Rows in aligned columns under a head; on a terminal that is too narrow for them, one block of lines for each row.
  static func table(head: [String], rows: [[String]]) {
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    let width = widths.reduce(0, +) + 2 * (widths.count - 1)
    if isTerminal, let columns = Terminal.controlling.size?.columns, width > columns {
      for row in rows {
        raw(TerminalText.rows(Array(zip(head, row)).map { ($0.0, $0.1) }), to: STDOUT_FILENO)
        line()
      }
      return
    }
    for row in [head] + rows {
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      line(cells.joined(separator: "  ").trimmingTrailingSpaces)
    }
  }

  /// Whether standard output is a terminal that may show colours (https://no-color.org is respected).
  static var showsColour: Bool {
    isTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
  }

  /// Whether standard output is a terminal whose last line can be written anew.
  static var canRewriteLine: Bool {
    isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Writes `text` in place of the terminal's last line.
  static func replaceLine(_ text: String) { write("\r\(text)\u{1B}[K", to: STDOUT_FILENO) }

  /// Written at once and whole, so that a reader behind a pipe sees each line when it is printed.
  private static func write(_ text: String, to descriptor: Int32) {
    FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(Data(text.utf8))
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// Text from outside as one line of a terminal.
func printable(_ text: String) -> String { text.forTerminal }

/// `text` with a full stop at its end, as a part of a message.
func sentence(_ text: String) -> String {
  text.last.map { ".?!…".contains($0) } == true ? text : text + "."
}
