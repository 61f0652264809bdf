package import Foundation
import TerminalText

/// Times as commands print them: as ``TerminalText/Times`` writes them.
package enum Times {
  /// `--utc`, `SEALRING_UTC`, or `utc = true` of the settings.
  package static var isUTC: Bool {
    get { TerminalText.Times.isUTC }
    set { TerminalText.Times.isUTC = newValue }
  }

  package static func text(_ date: Date) -> String { TerminalText.Times.text(date) }

  package static func text(_ date: Date, in zone: TimeZone) -> String {
    TerminalText.Times.text(date, in: zone)
  }
}
