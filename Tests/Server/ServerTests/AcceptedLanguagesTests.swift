import Testing

@testable import ServerHTTP

@Suite("Accept-Language") struct AcceptedLanguagesTests {
  @Test(
    arguments: [
      ("en-GB, en;q=0.9", ["en-GB", "en"]), ("fr;q=0.1,de;q=0.9, it ;q=0.9", ["de", "it", "fr"]),
      ("*", []), ("en;q=0", []), ("", []), ("de", ["de"]), (";;,,;q=", []), ("e\u{0}n, de", ["de"]),
    ])
  func `languages come in the order of their weights`(header: String, expected: [String]) {
    #expect(AcceptedLanguages.parse(header) == expected)
  }
}
