import TerminalPrompts
import PingBinding
import QRCodes

/// An enrolment for the person's own authenticator: the QR code where the terminal has room for it, and the address.
enum EnrolmentDisplay {
  /// Shows both on standard error.
  ///
  /// - Parameter uri: holds a secret, which is what the person's authenticator needs.
  static func show(_ uri: String) {
    if let code = try? QRCode(uri, errorCorrection: .low), let size = Terminal.controlling.size {
      let side = code.size + 2 * QRCode.quietZone
      if size.columns >= side, size.rows > (side + 1) / 2 {
        Output.raw(code.terminalText(Output.showsColour ? .blackOnWhite : .darkBackground) + "\n")
      } else {
        Output.remark("The QR code needs a terminal of \(side) columns and \((side + 1) / 2 + 1) rows.")
      }
    }
    Output.remark("Scan the code, or give your authenticator this address. It holds the secret:")
    Output.raw("\(printable(uri))\n")
  }
}
