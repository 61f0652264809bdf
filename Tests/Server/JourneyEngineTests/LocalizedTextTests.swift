import JourneyEngine
import Testing

@Suite("Localised texts")
struct LocalizedTextTests {
  private let text = LocalizedText(
    [("fr", "Bonjour"), ("en", "Hello"), ("de", "Hallo"), ("de_CH", "Grüezi")], builtIn: "Built in")

  @Test(
    arguments: [
      ([], "Hello"), (["de"], "Hallo"), (["de-CH"], "Grüezi"), (["DE-ch"], "Grüezi"), (["de-AT"], "Hallo"),
      (["de-Latn-CH"], "Hallo"), (["it"], "Hello"), (["it", "fr-CA"], "Bonjour"), (["", "-", "*"], "Hello"),
      ([String(repeating: "de-", count: 30)], "Hello"),
    ])
  func `the best text for the preferred locales (RFC 4647 §3.4)`(locales: [String], expected: String) {
    #expect(text.text(for: locales) == expected)
  }

  @Test func `without English, the file's first`() {
    #expect(LocalizedText([("fr", "Bonjour"), ("de", "Hallo")], builtIn: "x").text(for: ["it"]) == "Bonjour")
  }

  @Test func `without any, the built-in one`() {
    #expect(LocalizedText([], builtIn: "Built in").text(for: ["de"]) == "Built in")
  }
}
