/// How sign-in pages look and what they say, by realm and journey (docs/sign-in-page.md).
public struct PageThemes: Sendable {
  /// By name.
  let themes: [String: PageTheme]

  /// The uses of themes, the most specific first. The first that fits a page decides.
  let uses: [Use]

  /// Warnings, a line each, about colours that are hard to tell apart.
  public let warnings: [String]

  struct Use: Sendable, Equatable {
    /// `nil`: all realms.
    let realm: String?

    /// `nil`: all journeys.
    let journey: String?
    let theme: String

    fileprivate var weight: Int { (journey == nil ? 0 : 2) + (realm == nil ? 0 : 1) }
  }

  /// Shows every page with the built-in theme.
  public init() {
    (themes, uses, warnings) = ([:], [], [])
  }

  init(themes: [String: PageTheme], uses: [Use]) {
    self.themes = themes
    // Stable: of equal weights the first wins.
    self.uses = uses.enumerated().sorted {
      ($0.element.weight, -$0.offset) > ($1.element.weight, -$1.offset)
    }.map(\.element)
    warnings = themes.sorted { $0.key < $1.key }.flatMap { name, theme in
      theme.contrastWarnings.map { "Theme \(name): \($0)" }
    }
  }

  /// - Parameters:
  ///   - realm: its name, such as `alpha`.
  ///   - journey: the one that the page's address names; `nil` for the realm's own.
  package func theme(realm: String, journey: String?) -> PageTheme? {
    uses.first { use in
      (use.realm == nil || use.realm == realm) && (use.journey == nil || use.journey == journey)
    }.flatMap { themes[$0.theme] }
  }
}

/// A theme. None of it can become markup or style: colours are numbers, texts are shown as texts, and the logo is a picture.
package struct PageTheme: Sendable {
  /// The name in addresses.
  package let id: String

  /// The service's name on the page.
  package let title: String
  package let logo: Logo?
  let colours: [PageColourScheme: [PageColour: RGBColour]]

  /// By language, then by the text's name in the section `signIn`.
  let texts: [String: [String: String]]

  package struct Logo: Sendable {
    let type: String
    let bytes: [UInt8]
  }

  /// The colours as a style sheet.
  var styleSheet: String {
    PageColourScheme.allCases.map { scheme in
      let lines = PageColour.allCases.compactMap { name in
        colours[scheme]?[name].map { "    --\(name.rawValue): \($0.hex);\n" }
      }
      return "@media (prefers-color-scheme: \(scheme.rawValue)) {\n  :root {\n\(lines.joined())  }\n}\n"
    }.joined()
  }

  /// Pairs of colours that are too close to read, with the built-in ones where the theme has none (WCAG 2.2 §1.4.3, §1.4.11).
  var contrastWarnings: [String] {
    PageColourScheme.allCases.flatMap { scheme -> [String] in
      guard let own = colours[scheme], !own.isEmpty else { return [] }
      return PageColour.pairs.compactMap { front, back, least in
        guard own[front] != nil || own[back] != nil,
          let first = own[front] ?? front.standard(scheme), let second = own[back] ?? back.standard(scheme)
        else { return nil }
        let contrast = first.contrast(with: second)
        guard contrast < least else { return nil }
        // Rounded down, so that what is too little never reads as enough.
        let (whole, tenths) = (Int(contrast * 10) / 10, Int(contrast * 10) % 10)
        return
          "in \(scheme.rawValue), \(front.rawValue) \(first.hex) on \(back.rawValue) \(second.hex) has a contrast of "
          + "\(whole).\(tenths) to 1. It should have at least \(least == 3 ? "3" : "4.5") to 1."
      }
    }
  }
}
