import Foundation
package import StrictJSON
import TerminalText

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What commands print. Data go to standard output, everything said about them to standard error.
package enum Output {
  /// A line of data.
  package static func line(_ text: String = "") { write(text + "\n", to: STDOUT_FILENO) }

  /// One JSON value on a line of its own.
  package static func json(_ value: JSONValue) { line(value.text) }

  /// A remark for the person, not part of the data.
  package static func remark(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Finished lines for standard error.
  package static func raw(_ lines: String) { write(lines, to: STDERR_FILENO) }

  /// Rows in aligned columns under a head.
  package static func table(head: [String], rows: [[String]]) {
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    for row in [head] + rows {
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      line(cells.joined(separator: "  ").trimmingTrailingSpaces)
    }
  }

  /// Whether standard output is a terminal that may show colours (https://no-color.org is respected).
  package static var showsColour: Bool {
    isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
  }

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
package func printable(_ text: String) -> String { text.forTerminal }

/// `text` with a full stop at its end, as a part of a message.
package func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }
