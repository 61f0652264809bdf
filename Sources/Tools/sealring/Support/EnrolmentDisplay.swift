import TerminalPrompts
import QRCodes

/// Shows an enrolment to the user's own authenticator: the QR code if the terminal is large enough, and the address.
enum EnrolmentDisplay {
  /// Shows the code and the address on standard error.
  ///
  /// - Parameter uri: the address; it contains a secret that the authenticator needs.
  static func show(_ uri: String) {
    draw(uri) { Output.remark("The QR code needs a terminal of \($0) columns and \($1) rows.") }
    Output.remark("Scan the code, or give your authenticator this address. It holds the secret:")
    Output.raw("\(printable(uri))\n")
  }
}

extension EnrolmentDisplay {
  /// Draws the code of a text, if the terminal is large enough.
  static func draw(_ text: String, otherwise needing: (_ columns: Int, _ rows: Int) -> Void) {
    guard let code = try? QRCode(text), let size = Terminal.controlling.size else {
      return
    }
    guard let margin = code.margin(columns: size.columns, rows: size.rows) else {
      return needing(code.room(margin: 1).columns, code.room(margin: 1).rows)
    }
    let style: QRCode.TerminalColours = Output.showsColour ? .blackOnWhite : .darkBackground
    Output.raw(code.terminalText(style, margin: margin) + "\n")
  }
}

extension QRCode {
  /// The columns and rows of a terminal that shows the code with a margin of `margin` modules. One row is for the cursor and the
  /// countdown.
  func room(margin: Int) -> (columns: Int, rows: Int) {
    let side = size + 2 * margin
    return (side, (side + 1) / 2 + 1)
  }

  /// The widest margin with which a terminal shows the whole code; `nil` when none fits, because a wrapped or scrolled code cannot
  /// be scanned.
  func margin(columns: Int, rows: Int) -> Int? {
    [Self.quietZone, 2, 1].first { room(margin: $0).columns <= columns && room(margin: $0).rows <= rows }
  }
}
