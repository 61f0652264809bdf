import JourneyEngine
import Testing

@Suite("Localised texts")
struct LocalizedTextTests {
  private let text = LocalizedText(
    [("fr", "Bonjour"), ("en", "Hello"), ("de", "Hallo"), ("de_CH", "Grüezi")], builtIn: "Built in")

  @Test(
    "The best text for the preferred locales (RFC 4647 §3.4)",
    arguments: [
      ([], "Hello"), (["de"], "Hallo"), (["de-CH"], "Grüezi"), (["DE-ch"], "Grüezi"), (["de-AT"], "Hallo"),
      (["de-Latn-CH"], "Hallo"), (["it"], "Hello"), (["it", "fr-CA"], "Bonjour"), (["", "-", "*"], "Hello"),
      ([String(repeating: "de-", count: 30)], "Hello"),
    ])
  func lookup(locales: [String], expected: String) {
    #expect(text.text(for: locales) == expected)
  }

  @Test("Without English, the file's first")
  func first() {
    #expect(LocalizedText([("fr", "Bonjour"), ("de", "Hallo")], builtIn: "x").text(for: ["it"]) == "Bonjour")
  }

  @Test("Without any, the built-in one")
  func builtIn() {
    #expect(LocalizedText([], builtIn: "Built in").text(for: ["de"]) == "Built in")
  }
}
