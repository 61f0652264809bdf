package import PageTemplates
internal import TerminalText

/// A sentence for people, in any language: one of the pages' texts, and the values in it.
///
/// Pages say it in the reader's language, commands and logs in English, both from the same texts.
package struct Phrase: Sendable {
  private enum Content {
    case text(_ key: String, values: [String: String], spans: [String: Double])
    case words(String)
  }

  private let content: Content

  private init(_ content: Content) { self.content = content }

  /// - Parameters:
  ///   - key: of the text, such as `checks.space`.
  ///   - values: the values that are the same in every language: paths, numbers, a library's description of an error.
  ///   - spans: times in seconds, which each language has its own words for.
  package init(_ key: String, _ values: [String: String] = [:], spans: [String: Double] = [:]) {
    self.init(.text(key, values: values, spans: spans))
  }

  /// A sentence that only commands say, in English.
  static func words(_ words: String) -> Phrase { Phrase(.words(words)) }

  /// The sentence that says what to do about this one, when the texts have it.
  var advice: Phrase? {
    guard case .text(let key, let values, let spans) = content, TextCatalog.english.has(key + "Advice") else {
      return nil
    }
    return Phrase(key + "Advice", values, spans: spans)
  }

  package var english: String { text(in: TextCatalog.english) }

  package func text(in texts: Texts) -> String {
    switch content {
    case .words(let words): words
    case .text(let key, let values, let spans):
      texts[key, values.merging(spans.mapValues { texts.span($0) }) { value, _ in value }]
    }
  }
}

extension Texts {
  /// A span of time in words: its two largest units.
  ///
  /// - Parameter seconds: rounded up to whole seconds; negative values count as 0.
  package func span(_ seconds: Double) -> String {
    guard let parts = TerminalText.parts(ofDuration: seconds) else { return self["spans.long"] }
    return parts.map { count, unit in
      let (one, many) = unit.texts
      return self[count == 0 ? "spans.none" : count == 1 ? one : many, ["count": String(count)]]
    }.joined(separator: " ")
  }
}

extension TerminalText.TimeUnit {
  fileprivate var texts: (one: String, many: String) {
    switch self {
    case .day: ("spans.day", "spans.days")
    case .hour: ("spans.hour", "spans.hours")
    case .minute: ("spans.minute", "spans.minutes")
    case .second: ("spans.second", "spans.seconds")
    }
  }
}
