internal import CEmbeddedFiles
package import Foundation
package import StrictJSON

/// The texts of the pages in one language, read from its file: sections of texts by name.
package struct Texts: Sendable {
  /// The language tag of HTML's `lang` (RFC 5646), in lower case.
  package let language: String

  /// The language's name in that language.
  package let name: String

  let sections: [String: [String: String]]

  /// - Parameter bytes: the language's file. Its section `language` has the language's `code` and `name`.
  init(parsing bytes: [UInt8]) throws {
    var sections: [String: [String: String]] = [:]
    for (section, texts) in try JSONObject(parsing: bytes) {
      sections[section] = texts.objectValue?.reduce(into: [:]) { $0[$1.name] = $1.value.stringValue }
    }
    self.init(sections)
  }

  fileprivate init(_ sections: [String: [String: String]] = [:]) {
    self.sections = sections
    language = sections["language"]?["code"] ?? "en"
    name = sections["language"]?["name"] ?? language
  }

  /// Whether there is a text `section.name`.
  package func has(_ key: String) -> Bool { text(key) != nil }

  /// The text `section.name`, or the key itself when there is none. A test makes sure that all used keys exist.
  package subscript(key: String) -> String { text(key) ?? key }

  private func text(_ key: String) -> String? {
    let parts = key.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return sections[String(parts[0])]?[String(parts[1])]
  }

  /// The text with each `{name}` replaced by the value of that name.
  package subscript(key: String, values: [String: String]) -> String {
    // One pass, so that a value with braces stays as it is.
    var (output, rest) = ("", self[key][...])
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      output += rest[..<open]
      let name = String(rest[rest.index(after: open)..<close])
      output += values[name] ?? String(rest[open...close])
      rest = rest[rest.index(after: close)...]
    }
    return output + rest
  }

  /// A section as JSON, for scripts of pages.
  package func section(_ name: String) -> JSONObject {
    var object = JSONObject()
    for (name, text) in (sections[name] ?? [:]).sorted(by: { $0.key < $1.key }) {
      object[name] = .string(text)
    }
    return object
  }

  /// `date` in this language, in UTC.
  package func time(_ date: Date) -> String {
    var style = Date.FormatStyle(date: .abbreviated, time: .shortened)
    style.locale = Locale(identifier: language)
    style.timeZone = .gmt
    return date.formatted(style) + " UTC"
  }
}

/// All languages of the pages.
package struct TextCatalog: Sendable {
  /// The languages; the first one serves visitors who ask for none of them.
  package let languages: [Texts]

  /// The texts for logs and commands. They are embedded in the program, and tests check that they parse.
  package static let english = files.first.flatMap { try? Texts(parsing: $0) } ?? Texts()

  /// The languages' files, which are together in the program: English first, a zero byte after each.
  private static var files: [[UInt8]] {
    let all = EmbeddedFile.texts
    return UnsafeBufferPointer(start: all.start, count: all.count).split(separator: 0).map(Array.init)
  }

  private static let all = Result { try files.map(Texts.init(parsing:)) }

  private let fallback: Texts

  /// The names of ``messages`` by their English texts.
  private let messageNames: [String: String]

  package init() throws {
    languages = try Self.all.get()
    fallback = Self.english
    messageNames = Dictionary(
      (fallback.sections[Self.messages] ?? [:]).map { ($0.value, $0.key) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The section with messages of the programming interfaces that a person may see.
  static let messages = "messages"

  /// Translates one of the server's fixed messages; returns other messages unchanged.
  ///
  /// - Parameter message: the English text that programs receive.
  package func message(_ message: String, in texts: Texts) -> String {
    guard texts.language != fallback.language, let name = messageNames[message] else { return message }
    return texts["\(Self.messages).\(name)"]
  }

  /// The first wanted language that is available, as given or without its last parts (RFC 4647 §3.4).
  package func choose(_ wanted: [String]) -> Texts {
    for tag in wanted {
      var parts = tag.lowercased().split(separator: "-")
      while !parts.isEmpty {
        if let found = languages.first(where: { $0.language == parts.joined(separator: "-") }) {
          return found
        }
        parts.removeLast()
      }
    }
    return fallback
  }
}
