import Foundation
import StrictJSON
import Testing

@testable import PageTemplates

@Suite("Texts of the pages") struct TextsTests {
  /// Texts that are the same as in English, and right, by language.
  private static let same: [String: Set<String>] = [
    "de": [
      "home.administration", "account.name", "account.realm", "home.realm", "methods.name",
      "methods.platform", "admin.title",
      "admin.journeys", "admin.server", "admin.realm", "admin.name", "admin.roleAdministrator",
      "admin.roleAuditor", "admin.journey", "admin.giveExport", "admin.hash", "admin.clients",
      "signatures.message", "verify.journey",
    ],
    "fr": [
      "layout.pages", "layout.position", "home.realm", "home.administration", "account.realm", "signIn.ok",
      "signIn.question", "admin.protection",
      "signIn.termsVersion", "sessions.title", "signatures.title", "device.client", "admin.title",
      "admin.realm",
      "admin.giveExport", "admin.entrySign", "admin.attestation", "admin.clients", "checks.tables",
      "checkNames.configuration", "checkNames.databaseSchema", "spans.minute", "spans.minutes",
    ],
    "es": ["home.realm", "account.realm", "signIn.no", "admin.realm", "admin.roleAuditor", "admin.hash"],
  ]

  /// The languages of the folder, by their files' names.
  private static let codes =
    ((try? FileManager.default.contentsOfDirectory(
      atPath: sources.appending(path: "PageTemplates/Texts").path())) ?? []).map {
      $0.split(separator: ".")[0]
    }
    .map(String.init).sorted()

  private static let others = codes.filter { $0 != "en" }

  private static func texts(_ code: String) throws -> (language: Texts, english: Texts) {
    let languages = try TextCatalog().languages
    return (
      try #require(languages.first { $0.language == code }), try #require(languages.first)
    )
  }

  private static let sources = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../../../Sources/Server").standardizedFileURL

  private static func files(_ endings: [String]) throws -> [String] {
    let all = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var texts: [String] = []
    while let file = all?.nextObject() as? URL {
      guard endings.contains(file.pathExtension), !file.path().contains("embedded_resources") else {
        continue
      }
      texts.append(try String(contentsOf: file, encoding: .utf8))
    }
    try #require(!texts.isEmpty)
    return texts
  }

  private static func keys(_ texts: Texts) -> Set<String> {
    Set(texts.sections.flatMap { section, texts in texts.keys.map { "\(section).\($0)" } })
  }

  private static func placeholders(_ text: String) -> [String] {
    text.matches(of: /\{\w+\}/).map { String($0.0) }.sorted()
  }

  @Test func `the languages are the folder's files, each under its own code and with a name of its own`()
    throws
  {
    let languages = try TextCatalog().languages
    #expect(languages.map(\.language).sorted() == Self.codes && languages.first?.language == "en")
    #expect(Set(languages.map(\.name)).count == languages.count && Self.others.count >= 3)
    #expect(languages.allSatisfy { $0.name != $0.language && !$0.name.isEmpty })
    // What is asked for is compared in lower case.
    #expect(Self.codes.allSatisfy { $0 == $0.lowercased() })
    #expect(Set(Self.same.keys).isSubset(of: Self.others))
  }

  @Test(arguments: others)
  func `a language has every text of English, with the same placeholders`(code: String) throws {
    let (language, english) = try Self.texts(code)
    #expect(Self.keys(language).symmetricDifference(Self.keys(english)).sorted() == [])
    for key in Self.keys(english).sorted() {
      #expect(!language[key].isEmpty && !english[key].isEmpty, "\(key)")
      #expect(Self.placeholders(language[key]) == Self.placeholders(english[key]), "\(key)")
    }
  }

  @Test(arguments: others) func `no text is left in English`(code: String) throws {
    let (language, english) = try Self.texts(code)
    let same = Self.same[code] ?? []
    for key in Self.keys(english).sorted() {
      #expect((language[key] == english[key]) == same.contains(key), "\(key): \(language[key])")
      let left = language[key].lowercased().matches(of: /\b(?:the|and|is|are|of|with|you|your|this|that)\b/)
      #expect(left.isEmpty, "\(key): \(language[key])")
    }
  }

  @Test(arguments: codes) func `every template is shown in the language, with nothing left to fill in`(
    code: String
  ) throws {
    let (language, templates) = (try Self.texts(code).language, try PageTemplates.all.get())
    for template in PageTemplate.allCases {
      let html = try templates.html(template, [:], texts: language)
      #expect(!html.contains("{{") && !html.contains("}}"), "\(template.rawValue)")
      #expect(!html.contains("<html") || html.contains("<html lang=\"\(code)\">"), "\(template.rawValue)")
    }
  }

  @Test func `French keeps a mark with its word, Spanish opens its questions, and no space is doubled`()
    throws
  {
    let (french, english) = try Self.texts("fr")
    let spanish = try Self.texts("es").language
    for key in Self.keys(english).sorted() {
      let loose = french[key].firstMatch(of: /[^\u{202F}](?:[?!;:](?:\s|$)|»)|«[^\u{202F}]|\w'\w/)
      #expect(loose == nil, "\(french[key])")
      for marks in ["¿?", "¡!"] {
        let found = spanish[key].filter { marks.contains($0) }
        #expect(found == String(repeating: marks, count: found.count / 2), "\(spanish[key])")
      }
      for texts in [english, french, spanish] { #expect(!texts[key].contains("  "), "\(key)") }
    }
  }

  @Test func `every text is used, and every text that is used is there`() throws {
    let keys = Self.keys(try #require(try TextCatalog().languages.first))
    var used: Set<String> = ["language.code", "language.name"]
    for template in PageTemplate.allCases {
      let text = String(decoding: template.bytes, as: UTF8.self)
      let fields = text.matches(of: /\{\{t\.(\w+\.\w+)\}\}/).map { String($0.1) }
      #expect(Set(fields).subtracting(keys).sorted() == [], "\(template.rawValue)")
      used.formUnion(fields)
    }
    let sources = try Self.files(["swift", "js"])
    for source in sources {
      for match in source.matches(of: /"([a-z]\w*\.[a-z]\w*)"/) { used.insert(String(match.1)) }
      for match in source.matches(of: /(?:texts|notice:|texts,)\s*\[?"([a-z]\w*\.\w+)"/) {
        #expect(keys.contains(String(match.1)), "no text \(match.1)")
      }
    }
    for key in keys {
      // What is checked is named by its id, and what to do by what was found.
      if key.hasPrefix("checkNames."), sources.contains(where: { $0.contains("\"\(key.dropFirst(11))\"") }) {
        used.insert(key)
      }
      if key.hasSuffix("Advice"), used.contains(String(key.dropLast(6))) { used.insert(key) }
    }
    // The interfaces' messages stand in the sources as programs get them.
    let english = try #require(try TextCatalog().languages.first)
    for key in keys where key.hasPrefix("\(TextCatalog.messages).") {
      if sources.contains(where: { $0.contains("\"\(english[key])\"") }) { used.insert(key) }
    }
    #expect(keys.subtracting(used).sorted() == [], "no page shows these")
  }

  @Test func `every finding of a check is a text, and one for everything that is not well says what to do`()
    throws
  {
    let keys = Self.keys(try #require(try TextCatalog().languages.first))
    var found = 0
    for source in try Self.files(["swift"]) {
      for match in source.matches(of: /"((?:checks|startup|spans)\.\w+)"/) {
        #expect(keys.contains(String(match.1)), "no text \(match.1)")
        found += 1
      }
      for match in source.matches(of: /Subject\("(\w+)"\)|\.init\("(\w+)"\), of:/) {
        let id = match.1 ?? match.2 ?? ""
        #expect(keys.contains("checkNames.\(id)"), "no name for \(id)")
      }
      for match in source.matches(of: /\.(?:warning|failed),\s*(?:text: )?"(checks\.\w+)"/) {
        #expect(keys.contains("\(match.1)Advice"), "\(match.1) does not say what to do")
      }
    }
    #expect(found > 80)
  }

  @Test func `every fixed sentence of an error is a text, so that it is translated`() throws {
    let catalog = try TextCatalog()
    let english = try #require(catalog.languages.first)
    let known = Set(english.sections[TextCatalog.messages]?.values.map(\.self) ?? [])
    for file in ["ErrorResponse.swift", "ErrorResponse+Mapping.swift"] {
      let url = Self.sources.appending(path: "ServerHTTP/HTTP/\(file)")
      let source = try String(contentsOf: url, encoding: .utf8)
      let sentences = source.matches(of: /"([A-Z][a-z][^"\\]*)"/).map { String($0.1) }
      #expect(sentences.count > 5 && Set(sentences).subtracting(known).sorted() == [], "\(file)")
    }
  }

  @Test
  func `a message is translated when it is one of the server's own, and not for those who read English`()
    throws
  {
    let catalog = try TextCatalog()
    let german = catalog.choose(["de-AT"])
    #expect(catalog.message("Login failure", in: german) == "Die Anmeldung ist fehlgeschlagen.")
    for message in ["Login failure ", "login failure", "", "messages.loginFailure", "Fragen Sie Ada."] {
      #expect(catalog.message(message, in: german) == message)
    }
    #expect(catalog.message("Login failure", in: catalog.choose(["it"])) == "Login failure")
  }

  @Test func `a language is chosen by its whole tag, then by its beginning, else it is English`() throws {
    let catalog = try TextCatalog()
    for (wanted, chosen) in [
      (["de"], "de"), (["de-AT", "en"], "de"), (["it", "DE"], "de"), (["it"], "en"), ([], "en"),
      (["fr-CA", "de"], "fr"), (["es-419"], "es"), (["es-MX", "en"], "es"),
      (["d", "-"], "en"),
    ] {
      #expect(catalog.choose(wanted).language == chosen, "\(wanted)")
    }
  }

  @Test func `what is put into a text is not read as a text`() throws {
    let texts = try Texts(parsing: Array(#"{"a": {"b": "{one} and {two}, {three}", "c": "{"}}"#.utf8))
    #expect(texts["a.b", ["one": "{two}", "two": "2"]] == "{two} and 2, {three}")
    #expect(texts["a.c", ["one": "1"]] == "{" && texts["a.d"] == "a.d" && texts["a"] == "a")
  }

  @Test func `times are in the language's words and in UTC`() throws {
    let moment = Date(timeIntervalSince1970: 1_767_952_800)
    let words = try TextCatalog().languages.map { $0.time(moment) }
    #expect(words.allSatisfy { $0.hasSuffix(" UTC") && $0.contains("2026") && $0.contains("10:00") })
    #expect(words.first?.contains("Jan") == true && Set(words).count == words.count)
  }
}
