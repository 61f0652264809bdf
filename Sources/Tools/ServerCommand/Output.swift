internal import Bytes
import Foundation
package import StrictJSON
package import TerminalText

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What commands print. Data go to standard output, remarks about them to standard error.
package enum Output {
  /// A line of data.
  package static func line(_ text: String = "") { write(text + "\n", to: CommandProcess.current.output) }

  /// Bytes of data as they are.
  package static func bytes(_ bytes: [UInt8]) {
    write(Data(bytes), to: CommandProcess.current.output)
  }

  /// One JSON value on a line of its own.
  package static func json(_ value: JSONValue) { line(value.text) }

  /// A remark for the person, not part of the data. On a terminal its lines fit 80 columns.
  package static func remark(_ text: String) {
    raw((isErrorTerminal ? TerminalText.folded(text) : text) + "\n")
  }

  /// Finished lines for standard error.
  package static func raw(_ lines: String) { write(lines, to: CommandProcess.current.errors) }

  /// Whether standard output is a terminal.
  package static var isTerminal: Bool { isatty(CommandProcess.current.output) == 1 }

  /// Whether standard error is a terminal.
  package static var isErrorTerminal: Bool { isatty(CommandProcess.current.errors) == 1 }

  /// How wide the terminal at standard output is; `nil` when it does not say.
  private static var columns: Int? {
    var size = winsize()
    return ioctl(CommandProcess.current.output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
      ? Int(size.ws_col) : nil
  }

  /// The width that lines are laid out for where no terminal says another.
  private static let standardColumns = 80

  /// A row of text for each record, in aligned columns under a head; where they would be too wide, a block of lines for each row, on a
  /// terminal or not.
  ///
  /// - Parameters:
  ///   - none: What to say on standard error when there are no records; without it the head stands alone.
  ///   - cutsLast: Whether the last column is cut so that each record has one line; `--json` has all of it.
  static func table<Record>(
    _ records: [Record], head: [String], none: String? = nil, cutsLast: Bool = false,
    row: (Record) -> [String]
  ) {
    if records.isEmpty, let none { return remark(none) }
    let table = Table(head: head, rows: records.map { row($0).map(printable) })
    bytes(
      Array(table.text(columns: (isTerminal ? columns : nil) ?? standardColumns, cutsLast: cutsLast).utf8))
  }

  /// Whether standard output is a terminal that may show colours (https://no-color.org is respected).
  package static var showsColour: Bool {
    isTerminal && Environment.variables["NO_COLOR", default: ""].isEmpty
  }

  /// Whether standard output is a terminal whose last line can be rewritten; not with `ACCESSIBLE`, because a screen reader would read it
  /// again each time.
  package static var canRewriteLine: Bool { isTerminal && rewritesLines }

  /// Whether the lines of a terminal can be rewritten, and nobody has them read aloud.
  package static var rewritesLines: Bool {
    let environment = Environment.variables
    return environment["TERM"] != "dumb" && environment["ACCESSIBLE", default: ""].isEmpty
  }

  /// Writes `text` in place of the terminal's last line.
  package static func replaceLine(_ text: String) { bytes(Array("\r\(text)\u{1B}[K".utf8)) }

  /// Written at once and whole, so that a reader behind a pipe sees each line when it is printed.
  private static func write(_ text: String, to descriptor: Int32) { write(Data(text.utf8), to: descriptor) }

  /// When the reader of standard output has gone, the command ends as SIGPIPE would end it, even where that signal is ignored, as under systemd.
  /// Any other failure, such as a full disk, ends the command with an error: the data would be incomplete. A failure to write remarks ends
  /// nothing.
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

/// Times as commands print them.
package typealias Times = TerminalText.Times

/// Text from outside as one line of a terminal.
package func printable(_ text: String) -> String { text.onOneLine }

/// `text` with a full stop at its end, as a part of a message.
package func sentence(_ text: String) -> String {
  text.last.map { ".?!…".contains($0) } == true ? text : text + "."
}
