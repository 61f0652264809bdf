internal import Bytes
public import Foundation
public import Operations
internal import PageTemplates
internal import PrivateFiles
internal import StrictJSON

extension PageThemes {
  private static let maximumBytes = 256 << 10
  private static let maximumLogoBytes = 32 << 10

  /// Reads `{"themes": {NAME: {"title", "logo", "colours": {"light", "dark"}, "texts": {LANGUAGE: {…}}}}, "use": [{"realm", "journey", "theme"}]}`.
  ///
  /// - Throws: ``ServerSetupError``, which says what is wrong in the file.
  public init(file: URL) throws(ServerSetupError) {
    do {
      let document = try JSONReader(
        parsing: try Self.bytes(of: file, atMost: Self.maximumBytes),
        rules: JSONReader.Rules(longestText: 1000))
      try document.requireOnly(["themes", "use"])
      let languages = try TextCatalog().languages
      var themes: [String: PageTheme] = [:]
      for (name, theme) in try document["themes"]?.members() ?? [] {
        themes[name] = try Self.theme(
          name, theme, folder: file.deletingLastPathComponent(), languages: languages)
      }
      let uses = try (document["use"]?.elements() ?? []).map { try Self.use($0, of: themes) }
      self.init(themes: themes, uses: uses)
    } catch { throw ServerSetupError("The page themes in \(file.path) cannot be used: \(error).") }
  }

  private static func use(_ use: JSONReader, of themes: [String: PageTheme]) throws -> Use {
    try use.requireOnly(["realm", "journey", "theme"])
    let name = try use.member("theme").text()
    guard themes[name] != nil else { throw use.wrong("theme", "there is no theme \(name)") }
    let realm = use.value["realm"]?.stringValue.map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
    return Use(realm: realm == "" ? "root" : realm, journey: try use["journey"]?.text(), theme: name)
  }

  private static func theme(
    _ name: String, _ theme: JSONReader, folder: URL, languages: [Texts]
  ) throws -> PageTheme {
    guard (1...40).contains(name.utf8.count),
      name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") })
    else { throw theme.wrong("a theme's name has up to 40 letters, digits and hyphens") }
    try theme.requireOnly(["title", "logo", "colours", "texts"])
    let title = try theme["title"]?.text() ?? "Sealring"
    guard title.count <= 60 else { throw theme.wrong("title", "has up to 60 characters") }
    var colours: [PageColourScheme: [PageColour: RGBColour]] = [:]
    for (name, values) in try theme["colours"]?.members() ?? [] {
      guard let scheme = PageColourScheme(rawValue: name) else {
        throw values.wrong("colours are light and dark")
      }
      for (name, text) in try values.members() {
        guard let colour = PageColour(rawValue: name) else {
          throw text.wrong(
            "there is no such colour; there are \(PageColour.allCases.map(\.rawValue).joined(separator: ", "))"
          )
        }
        guard let value = text.value.stringValue.flatMap({ RGBColour(hex: $0) }) else {
          throw text.wrong("must have the form #rrggbb")
        }
        colours[scheme, default: [:]][colour] = value
      }
    }
    return PageTheme(
      id: name, title: title, logo: try theme["logo"].map { try logo($0, in: folder) }, colours: colours,
      texts: try texts(theme["texts"]?.members() ?? [], languages))
  }

  private static func texts(
    _ members: [(name: String, value: JSONReader)], _ languages: [Texts]
  ) throws -> [String: [String: String]] {
    var texts: [String: [String: String]] = [:]
    for (language, values) in members {
      guard let known = languages.first(where: { $0.language == language })?.section("signIn") else {
        throw values.wrong("no page speaks this language")
      }
      for (key, text) in try values.members() {
        guard known[key] != nil else { throw text.wrong("the sign-in page has no such text") }
        texts[language, default: [:]][key] = try text.text()
      }
    }
    return texts
  }

  private static func logo(_ value: JSONReader, in folder: URL) throws -> PageTheme.Logo {
    let name = try value.text()
    // The file must be beside the themes, so that a slip shows nothing else of this machine to the world.
    guard !name.contains("/"), !name.hasPrefix(".") else {
      throw value.wrong("must be the name of a file beside the themes")
    }
    let bytes = try bytes(of: folder.appending(path: name), atMost: maximumLogoBytes)
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      return PageTheme.Logo(type: "image/png", bytes: bytes)
    }
    let start = String(decoding: bytes.prefix(1000), as: UTF8.self)
    guard name.lowercased().hasSuffix(".svg"), start.contains("<svg"),
      String(validating: bytes, as: UTF8.self) != nil
    else { throw value.wrong("the logo \(name) is neither PNG nor SVG") }
    return PageTheme.Logo(type: "image/svg+xml", bytes: bytes)
  }

  private static func bytes(of file: URL, atMost limit: Int) throws(JSONFault) -> [UInt8] {
    do { return try file.bytes(atMost: limit) } catch {
      throw JSONFault("\(file.lastPathComponent) cannot be read: \(FileReason.of(error))")
    }
  }
}
