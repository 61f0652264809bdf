internal import CEmbeddedFiles
package import Foundation
package import StrictJSON

/// What the pages say in one language, from its file: sections of texts by name.
package struct Texts: Sendable {
  /// As HTML has it (RFC 5646).
  package let language: String

  /// What the language calls itself.
  package let name: String

  let sections: [String: [String: String]]

  /// A language without texts.
  fileprivate init(_ language: String) { (self.language, name, sections) = (language, language, [:]) }

  fileprivate init(_ language: String, in file: EmbeddedFile) throws {
    try self.init(language, parsing: Array(UnsafeBufferPointer(start: file.start, count: file.count)))
  }

  init(_ language: String, parsing bytes: [UInt8]) throws {
    var sections: [String: [String: String]] = [:]
    for (section, texts) in try JSONObject(parsing: bytes) {
      sections[section] = texts.objectValue?.reduce(into: [:]) { $0[$1.name] = $1.value.stringValue }
    }
    self.language = language
    self.name = sections["language"]?["name"] ?? language
    self.sections = sections
  }

  /// Whether there is a text `section.name`.
  package func has(_ key: String) -> Bool { text(key) != nil }

  /// The text `section.name`; the key itself when there is none, which a test rules out.
  package subscript(key: String) -> String { text(key) ?? key }

  private func text(_ key: String) -> String? {
    let parts = key.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return sections[String(parts[0])]?[String(parts[1])]
  }

  /// The text with `{name}` replaced by the value of that name.
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

  /// A section, for scripts of pages.
  package func section(_ name: String) -> JSONObject {
    var object = JSONObject()
    for (name, text) in (sections[name] ?? [:]).sorted(by: { $0.key < $1.key }) {
      object[name] = .string(text)
    }
    return object
  }

  /// `date` in words of this language, in UTC.
  package func time(_ date: Date) -> String {
    var style = Date.FormatStyle(date: .abbreviated, time: .shortened)
    style.locale = Locale(identifier: language)
    style.timeZone = .gmt
    return date.formatted(style) + " UTC"
  }
}

/// All languages of the pages.
package struct TextCatalog: Sendable {
  /// The first is for those who ask for none of them.
  package let languages: [Texts]

  /// What logs and commands say. The texts are in the program, and tests read them.
  package static let english = (try? Texts("en", in: .en_json)) ?? Texts("en")

  private let fallback: Texts

  /// The names of ``messages`` by what they say in English.
  private let messageNames: [String: String]

  package init() throws {
    let english = try Texts("en", in: .en_json)
    languages = [english, try Texts("de", in: .de_json)]
    fallback = english
    messageNames = Dictionary(
      (english.sections[Self.messages] ?? [:]).map { ($0.value, $0.key) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The section of what the interfaces for programs say, where that may reach a person.
  static let messages = "messages"

  /// What a message of the server says in a language: the message itself when it is not one of its fixed ones.
  ///
  /// - Parameter message: in English, as programs get it.
  package func message(_ message: String, in texts: Texts) -> String {
    guard texts.language != fallback.language, let name = messageNames[message] else { return message }
    return texts["\(Self.messages).\(name)"]
  }

  /// The first of the wanted languages that there is: as asked for, else without its last parts (RFC 4647 §3.4).
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
