internal import Bytes
import Foundation
package import StrictJSON
package import TerminalText

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Prints a command's output: data on standard output, remarks on standard error.
package enum Output {
  /// Prints a line of data.
  package static func line(_ text: String = "") { write(text + "\n", to: CommandProcess.current.output) }

  /// Prints raw bytes of data.
  package static func bytes(_ bytes: [UInt8]) {
    write(Data(bytes), to: CommandProcess.current.output)
  }

  /// Prints one JSON value on its own line. Characters that could control a terminal are written as `\uXXXX`; JSON itself demands this of
  /// some of them only.
  package static func json(_ value: JSONValue) { line(value.lineText) }

  /// Prints a remark for the user, which is not part of the data. On a terminal its lines fit 80 columns.
  package static func remark(_ text: String) {
    raw((isErrorTerminal ? TerminalText.folded(text) : text) + "\n")
  }

  /// Writes complete lines to standard error.
  package static func raw(_ lines: String) { write(lines, to: CommandProcess.current.errors) }

  /// Whether standard output is a terminal.
  package static var isTerminal: Bool { isatty(CommandProcess.current.output) == 1 }

  /// Whether standard error is a terminal.
  package static var isErrorTerminal: Bool { isatty(CommandProcess.current.errors) == 1 }

  /// The width of the terminal at standard output; `nil` when unknown.
  private static var columns: Int? {
    var size = winsize()
    return ioctl(CommandProcess.current.output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
      ? Int(size.ws_col) : nil
  }

  /// The layout width when no terminal reports its own.
  private static let standardColumns = 80

  /// Prints a row for each record, in aligned columns under a head. If these are too wide, prints a block of lines for each record, also
  /// when the output is not a terminal.
  ///
  /// - Parameters:
  ///   - none: The remark when there are no records; `nil` prints the head only.
  ///   - cutsLast: Whether to cut the last column so that each record has one line; `--json` has the whole text.
  static func table<Record>(
    _ records: [Record], head: [String], none: String? = nil, cutsLast: Bool = false,
    row: (Record) -> [String]
  ) {
    if records.isEmpty, let none { return remark(none) }
    let table = Table(head: head, rows: records.map { row($0).map(printable) })
    bytes(
      Array(table.text(columns: (isTerminal ? columns : nil) ?? standardColumns, cutsLast: cutsLast).utf8))
  }

  /// Whether standard output is a terminal that may show colours (respects https://no-color.org).
  package static var showsColour: Bool {
    isTerminal && Environment.variables["NO_COLOR", default: ""].isEmpty
  }

  /// Whether standard output is a terminal whose last line can be rewritten. With `ACCESSIBLE` it cannot, because a screen reader would
  /// read the line again each time.
  package static var canRewriteLine: Bool { isTerminal && rewritesLines }

  /// Whether a terminal's lines may be rewritten: its type allows it, and no screen reader is used.
  package static var rewritesLines: Bool {
    let environment = Environment.variables
    return environment["TERM"] != "dumb" && environment["ACCESSIBLE", default: ""].isEmpty
  }

  /// Writes `text` in place of the terminal's last line.
  package static func replaceLine(_ text: String) { bytes(Array("\r\(text)\u{1B}[K".utf8)) }

  /// Writes the text at once and completely, so that the reader of a pipe sees each line when it is printed.
  private static func write(_ text: String, to descriptor: Int32) { write(Data(text.utf8), to: descriptor) }

  /// Writes all bytes. If the reader of standard output is gone, the command ends as by SIGPIPE, even where that signal is ignored, as
  /// under systemd. Any other failure, such as a full disk, ends the command with an error, because the data would be incomplete.
  /// Failures to write remarks are ignored.
  private static func write(_ data: Data, to descriptor: Int32) {
    var rest = [UInt8](data)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      let cause = errno
      guard count < 0 else {
        rest = rest.dropFirst(count)
        continue
      }
      if cause == EINTR { continue }
      guard descriptor == CommandProcess.current.output else { return }
      if cause == EPIPE { exit(128 + SIGPIPE) }
      remark("Error: standard output cannot be written: \(String(cString: strerror(cause))).")
      exit(EXIT_FAILURE)
    }
  }
}

/// The format of times in commands.
package typealias Times = TerminalText.Times

/// Makes text from outside safe: one line without control characters.
package func printable(_ text: String) -> String { text.onOneLine }

/// `text` with a full stop at its end, for use in a message.
package func sentence(_ text: String) -> String {
  text.last.map { ".?!…".contains($0) } == true ? text : text + "."
}
