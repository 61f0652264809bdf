internal import Bytes
public import Foundation
public import Operations
internal import PageTemplates
internal import StrictJSON

extension PageThemes {
  private static let maximumBytes = 256 << 10
  private static let maximumLogoBytes = 32 << 10
  private static let maximumThemes = 100

  /// Reads `{"themes": {NAME: {"title", "logo", "colours": {"light", "dark"}, "texts": {LANGUAGE: {…}}}}, "use": [{"realm", "journey", "theme"}]}`.
  ///
  /// - Throws: ``ServerSetupError``, which says what is wrong in the file.
  public init(file: URL) throws(ServerSetupError) {
    func wrong(_ problem: String) -> ServerSetupError {
      ServerSetupError("The page themes in \(file.path) cannot be used: \(problem).")
    }
    let object: JSONObject
    do {
      object = try JSONObject(parsing: try Self.bytes(of: file, atMost: Self.maximumBytes))
    } catch let problem as ThemeProblem { throw wrong(problem.text) } catch {
      throw wrong("it is not a JSON object: \(error)")
    }
    do {
      try Self.requireKnown(object, ["themes", "use"], in: "the file")
      let described = object["themes"]?.objectValue ?? [:]
      guard described.count <= Self.maximumThemes else {
        throw ThemeProblem("it has more than \(Self.maximumThemes) themes")
      }
      let languages = try TextCatalog().languages
      var themes: [String: PageTheme] = [:]
      for (name, value) in described {
        themes[name] = try Self.theme(
          name, value, folder: file.deletingLastPathComponent(), languages: languages)
      }
      let uses = try (object["use"]?.arrayValue ?? []).map { try Self.use($0, of: themes) }
      self.init(themes: themes, uses: uses)
    } catch let problem as ThemeProblem { throw wrong(problem.text) } catch { throw wrong("\(error)") }
  }

  private static func use(_ value: JSONValue, of themes: [String: PageTheme]) throws -> Use {
    guard let object = value.objectValue, let name = object["theme"]?.stringValue else {
      throw ThemeProblem("each use needs a theme")
    }
    try requireKnown(object, ["realm", "journey", "theme"], in: "a use of \(name)")
    guard themes[name] != nil else { throw ThemeProblem("there is no theme \(name)") }
    let realm = object["realm"]?.stringValue.map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
    return Use(realm: realm == "" ? "root" : realm, journey: object["journey"]?.stringValue, theme: name)
  }

  private static func theme(
    _ name: String, _ value: JSONValue, folder: URL, languages: [Texts]
  ) throws -> PageTheme {
    guard (1...40).contains(name.utf8.count),
      name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") })
    else {
      throw ThemeProblem(
        "a theme's name has up to 40 letters, digits and hyphens, not \(JSONValue.string(name).text)")
    }
    guard let object = value.objectValue else { throw ThemeProblem("the theme \(name) is not an object") }
    try requireKnown(object, ["title", "logo", "colours", "texts"], in: "the theme \(name)")
    let title = object["title"]?.stringValue ?? "Sealring"
    guard (1...60).contains(title.count) else {
      throw ThemeProblem("the title of \(name) has up to 60 characters")
    }
    var colours: [PageColourScheme: [PageColour: RGBColour]] = [:]
    for (scheme, values) in object["colours"]?.objectValue ?? [:] {
      guard let scheme = PageColourScheme(rawValue: scheme) else {
        throw ThemeProblem("the colours of \(name) are light and dark, not \(JSONValue.string(scheme).text)")
      }
      for (colour, text) in values.objectValue ?? [:] {
        guard let colour = PageColour(rawValue: colour) else {
          throw ThemeProblem(
            "there is no colour \(JSONValue.string(colour).text); there are "
              + PageColour.allCases.map(\.rawValue).joined(separator: ", "))
        }
        guard let value = text.stringValue.flatMap({ RGBColour(hex: $0) }) else {
          throw ThemeProblem("the colour \(colour.rawValue) of \(name) is not of the form #rrggbb")
        }
        colours[scheme, default: [:]][colour] = value
      }
    }
    return PageTheme(
      id: name, title: title, logo: try object["logo"]?.stringValue.map { try logo($0, in: folder) },
      colours: colours,
      texts: try texts(object["texts"]?.objectValue ?? [:], of: name, languages))
  }

  private static func texts(
    _ object: JSONObject, of name: String, _ languages: [Texts]
  ) throws -> [String: [String: String]] {
    var texts: [String: [String: String]] = [:]
    for (language, values) in object {
      guard let known = languages.first(where: { $0.language == language })?.section("signIn") else {
        throw ThemeProblem(
          "the theme \(name) has texts in \(JSONValue.string(language).text), which no page speaks")
      }
      for (key, value) in values.objectValue ?? [:] {
        guard known[key] != nil else {
          throw ThemeProblem(
            "the sign-in page has no text \(JSONValue.string(key).text), which the theme \(name) changes")
        }
        guard let text = value.stringValue, text.utf8.count <= 1000 else {
          throw ThemeProblem("the text \(key) of \(name) is not a text of up to 1000 bytes")
        }
        texts[language, default: [:]][key] = text
      }
    }
    return texts
  }

  private static func logo(_ name: String, in folder: URL) throws -> PageTheme.Logo {
    // Beside the themes: nothing else of this machine is shown to the world by a slip.
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else {
      throw ThemeProblem("a logo is named by its file beside the themes, not \(JSONValue.string(name).text)")
    }
    let bytes = try bytes(of: folder.appending(path: name), atMost: maximumLogoBytes)
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      return PageTheme.Logo(type: "image/png", bytes: bytes)
    }
    let start = String(decoding: bytes.prefix(1000), as: UTF8.self)
    guard name.lowercased().hasSuffix(".svg"), start.contains("<svg"),
      String(validating: bytes, as: UTF8.self) != nil
    else { throw ThemeProblem("the logo \(name) is neither PNG nor SVG") }
    return PageTheme.Logo(type: "image/svg+xml", bytes: bytes)
  }

  private static func requireKnown(_ object: JSONObject, _ names: Set<String>, in place: String) throws {
    for (name, _) in object where !names.contains(name) {
      throw ThemeProblem("\(place) has \(JSONValue.string(name).text), which means nothing")
    }
  }

  private static func bytes(of file: URL, atMost limit: Int) throws -> [UInt8] {
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      bytes = Array(try handle.read(upToCount: limit + 1) ?? Data())
    } catch { throw ThemeProblem("\(file.lastPathComponent) cannot be read (\(error.localizedDescription))") }
    guard bytes.count <= limit else {
      throw ThemeProblem("\(file.lastPathComponent) is longer than \(limit) bytes")
    }
    return bytes
  }
}

private struct ThemeProblem: Error {
  let text: String

  init(_ text: String) { self.text = text }
}
