/// A text in several languages, as journey files hold them: locale → text.
public struct LocalizedText: Sendable, Hashable {
  private var texts: [Entry]
  private let builtIn: String

  /// A client's further preferences are ignored.
  private static let maximumLocales = 16
  private static let maximumTagBytes = 64

  private struct Entry: Sendable, Hashable {
    /// Lower case, with hyphens: `en-gb`.
    var locale: String
    var text: String
  }

  /// - Parameter builtIn: used when there is no text at all.
  public init(_ texts: [(locale: String, text: String)], builtIn: String) {
    self.texts = texts.map { Entry(locale: Self.plain($0.locale), text: $0.text) }
    self.builtIn = builtIn
  }

  /// The text for the first of the preferred locales (BCP 47) that has one: the locale itself, else shortened from the right (RFC 4647
  /// §3.4, lookup). Without any: English, else the file's first, else the built-in one.
  public func text(for locales: [String]) -> String {
    if texts.isEmpty { return builtIn }
    for locale in locales.prefix(Self.maximumLocales) where locale.utf8.count <= Self.maximumTagBytes {
      var range = Self.plain(locale)
      while !range.isEmpty {
        if let text = self[range] { return text }
        range = range.lastIndex(of: "-").map { String(range[..<$0]) } ?? ""
      }
    }
    return self["en"] ?? texts[0].text
  }

  /// Whether the file has no text of its own.
  public var isEmpty: Bool { texts.isEmpty }

  private subscript(locale: String) -> String? { texts.first { $0.locale == locale }?.text }

  private static func plain(_ locale: String) -> String {
    locale.lowercased().replacing("_", with: "-")
  }
}
