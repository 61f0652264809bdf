import CEmbeddedFiles
import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import Pages
@testable import ServerHTTP

@Suite("Themes of the sign-in page") struct PageThemesTests {
  private static let logo = ##"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"##

  private static let file = """
    {"themes": {
      "harbour": {"title": "Harbour & <Sons>", "logo": "harbour.svg",
        "colours": {"light": {"accent": "#0b6b57"}, "dark": {"accent": "#6FD6BD"}},
        "texts": {"en": {"signIn": "Welcome <b>aboard</b>"}, "de": {"signIn": "Willkommen"}}},
      "plain": {}},
     "use": [{"theme": "plain", "realm": "alpha"}, {"theme": "harbour", "realm": "/alpha", "journey": "Login"}]}
    """

  private func themes(_ text: String, logo: [UInt8] = Array(logo.utf8)) throws -> PageThemes {
    let folder = try TemporaryFolder.make()
    defer { withExtendedLifetime(folder) {} }
    try folder.write(logo, to: "harbour.svg")
    try folder.write(Array(text.utf8), to: "themes.json")
    return try PageThemes(file: folder.url.appending(path: "themes.json"))
  }

  @Test func `the most specific use that fits decides, by realm and journey`() throws {
    let themes = try themes(Self.file)
    #expect(themes.theme(realm: "alpha", journey: "Login")?.id == "harbour")
    #expect(themes.theme(realm: "alpha", journey: "Other")?.id == "plain")
    #expect(themes.theme(realm: "alpha", journey: nil)?.id == "plain")
    #expect(themes.theme(realm: "root", journey: "Login") == nil)
    #expect(PageThemes().theme(realm: "alpha", journey: nil) == nil)
  }

  @Test func `a page has its theme's colours, texts and logo, and nothing of them is markup`() async throws {
    let themes = try themes(Self.file)
    try await LocalServer.run(.router, { $0.pageThemes = themes }) { server in
      func get(_ path: String) async throws -> TestResponse {
        try await server.client.executeRequest(uri: "/am/XUI/\(path)", method: .get, headers: [:], body: nil)
      }
      let page = String(buffer: try await get("?realm=/alpha&service=Login").body)
      #expect(page.contains("theme.css?theme=harbour") && page.contains("logo?theme=harbour"))
      #expect(page.contains("Harbour &amp; &lt;Sons&gt;") && !page.contains("<Sons>"))
      let style = String(buffer: try await get("theme.css?theme=harbour").body)
      #expect(style.contains("--accent: #0b6b57;") && style.contains("--accent: #6fd6bd;"))
      let texts = try JSONValue(parsing: Array(buffer: try await get("texts?theme=harbour").body))
      #expect(
        texts["texts"]?["signIn"] == "Welcome <b>aboard</b>" && texts["texts"]?["continue"] == "Continue")
      let logo = try await get("logo?theme=harbour")
      #expect(logo.headers[.contentType] == "image/svg+xml")
      // Opened by itself, it runs nothing.
      #expect(logo.headers[.contentSecurityPolicy]?.contains("sandbox") == true)
      #expect(logo.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
      #expect(logo.headers[.xContentTypeOptions] == "nosniff")
      #expect(!String(buffer: try await get("?realm=/&service=Login").body).contains("theme=harbour"))
    }
  }

  @Test(arguments: [
    ##"{"themes": {"a": {"colours": {"light": {"accent": "red"}}}}}"##,
    ##"{"themes": {"a": {"colours": {"light": {"accent": "#fff"}}}}}"##,
    ##"{"themes": {"a": {"colours": {"light": {"accent": "#12345g"}}}}}"##,
    ##"{"themes": {"a": {"colours": {"light": {"accent": "#123456;}"}}}}}"##,
    ##"{"themes": {"a": {"colours": {"light": {"accent": "url(//x)"}}}}}"##,
    ##"{"themes": {"a": {"colours": {"light": {"background": "#123456"}}}}}"##,
    ##"{"themes": {"a": {"colours": {"dusk": {"accent": "#123456"}}}}}"##,
    ##"{"themes": {"a": {"logo": "../harbour.svg"}}}"##, ##"{"themes": {"a": {"logo": "/etc/passwd"}}}"##,
    ##"{"themes": {"a": {"logo": ".harbour.svg"}}}"##, ##"{"themes": {"a": {"logo": "missing.png"}}}"##,
    ##"{"themes": {"a": {"logo": "themes.json"}}}"##, ##"{"themes": {"a b": {}}}"##,
    ##"{"themes": {"../a": {}}}"##,
    ##"{"themes": {"a": {"texts": {"xx": {"signIn": "x"}}}}}"##,
    ##"{"themes": {"a": {"texts": {"en": {"sigIn": "x"}}}}}"##,
    ##"{"themes": {"a": {"style": "body {}"}}}"##, ##"{"themes": {}, "use": [{"theme": "a"}]}"##, "[]", "{",
  ])
  func `a file with anything but names, numbers of colours, texts and a picture is refused`(text: String) {
    #expect(throws: ServerSetupError.self) { try themes(text) }
  }

  @Test func `a logo is PNG or SVG, and small`() throws {
    let text = ##"{"themes": {"a": {"logo": "harbour.svg"}}}"##
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
    #expect(try themes(text, logo: png).themes["a"]?.logo?.type == "image/png")
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF]
    let large = Array("<svg>".utf8) + [UInt8](repeating: 32, count: 32 << 10)
    for wrong in [Array("<html>".utf8), jpeg, large] {
      #expect(throws: ServerSetupError.self) { try themes(text, logo: wrong) }
    }
  }

  @Test func `colours that are hard to tell apart are warned of, with their contrast`() throws {
    let pale = try themes(##"{"themes": {"a": {"colours": {"light": {"accent": "#9999ff"}}}}}"##)
    #expect(
      pale.warnings.contains {
        $0.hasPrefix("Theme a: in light, accent #9999ff on paper #ffffff has a contrast of 2.5 to 1.")
      })
    #expect(pale.warnings.allSatisfy { !$0.contains("dark") })
    #expect(try themes(Self.file).warnings == [])
  }

  @Test func `contrast is counted as WCAG does`() throws {
    let (black, white) = (try #require(RGBColour(hex: "#000000")), try #require(RGBColour(hex: "#FFFFFF")))
    #expect(abs(black.contrast(with: white) - 21) < 0.001 && black.contrast(with: black) == 1)
    let grey = try #require(RGBColour(hex: "#767676"))
    #expect((4.54...4.55).contains(grey.contrast(with: white)))
    #expect(white.hex == "#ffffff" && grey.hex == "#767676" && black.hex == "#000000")
  }

  @Test func `the built-in colours are those of the style sheet, and can be told apart`() throws {
    let style = String(decoding: PageFile.style(.sealring_css).bytes, as: UTF8.self)
    let parts = style.split(separator: "@media (prefers-color-scheme: dark)", maxSplits: 1)
    for (scheme, part) in zip(PageColourScheme.allCases, parts) {
      for colour in PageColour.allCases {
        let standard = try #require(colour.standard(scheme))
        #expect(part.contains("--\(colour.rawValue): \(standard.hex);"), "\(scheme) \(colour)")
      }
      for (front, back, least) in PageColour.pairs {
        let pair = (try #require(front.standard(scheme)), try #require(back.standard(scheme)))
        #expect(pair.0.contrast(with: pair.1) >= least, "\(scheme): \(front) on \(back)")
      }
    }
  }
}
