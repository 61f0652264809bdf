/// The two schemes that browsers prefer.
enum PageColourScheme: String, CaseIterable, Sendable { case light, dark }

/// The colours of the sign-in page, as its style sheet calls them.
enum PageColour: String, CaseIterable, Sendable {
  case ink, muted, paper, ground, line, edge, accent
  case accentInk = "accent-ink"
  case wrong
  case wrongPaper = "wrong-paper"

  /// Foreground and background colours that occur together, with their least contrast.
  static let pairs: [(PageColour, PageColour, Double)] = [
    (.ink, .paper, 4.5), (.muted, .paper, 4.5), (.accent, .paper, 4.5), (.accentInk, .accent, 4.5),
    (.accent, .ground, 4.5), (.wrong, .wrongPaper, 4.5), (.wrong, .paper, 4.5), (.edge, .paper, 3),
  ]

  /// The built-in colour, as `sealring.css` has it; a test compares.
  func standard(_ scheme: PageColourScheme) -> RGBColour? {
    let (light, dark) =
      switch self {
      case .ink: ("#1b2430", "#e8ecf2")
      case .muted: ("#556070", "#aab4c2")
      case .paper: ("#ffffff", "#1c2330")
      case .ground: ("#eef1f5", "#11161f")
      case .line: ("#c6ccd6", "#465063")
      case .edge: ("#767f8d", "#8792a3")
      case .accent: ("#1c56ad", "#8bb7ff")
      case .accentInk: ("#ffffff", "#0d1420")
      case .wrong: ("#a8201a", "#ffb4ad")
      case .wrongPaper: ("#fdecea", "#3a1b1a")
      }
    return RGBColour(hex: scheme == .light ? light : dark)
  }
}
