extension QRCode {
  /// How a terminal shows dark and light.
  public enum TerminalColours: Sendable, Hashable, CaseIterable {
    /// Black on white by control sequences (ECMA-48, 256 colours): correct on every background, for terminals only.
    case blackOnWhite
    /// No control sequences, for light text on a dark background: the light modules are drawn.
    case darkBackground
    /// No control sequences, for dark text on a light background, such as a printed page.
    case lightBackground
  }

  /// The code with its quiet zone as lines of half blocks, each character two modules high; ends without a line break.
  ///
  /// - Parameter margin: The quiet zone in modules. Less than ``quietZone`` is outside of the standard; readers mostly manage with 1.
  public func terminalText(
    _ colours: TerminalColours = .blackOnWhite, margin: Int = QRCode.quietZone
  ) -> String {
    let edge = -margin
    let end = size + margin
    let draws = { (isDark: Bool) in isDark == (colours != .darkBackground) }
    return stride(from: edge, to: end, by: 2).map { row in
      let line = (edge..<end).map { column -> Character in
        // When the number of rows is odd, the last half belongs to no module and is not drawn.
        let lower = row + 1 < end ? draws(isDark(column, row + 1)) : false
        switch (draws(isDark(column, row)), lower) {
        case (true, true): return "█"
        case (true, false): return "▀"
        case (false, true): return "▄"
        case (false, false): return " "
        }
      }
      return colours == .blackOnWhite ? "\u{1B}[38;5;16;48;5;231m\(String(line))\u{1B}[0m" : String(line)
    }.joined(separator: "\n")
  }
}
