import PageTemplates
import StrictJSON
import TerminalText
import Testing

@testable import Operations

@Suite("Sentences that are said in several languages") struct PhraseTests {
  @Test(
    arguments: [
      (90.0, "1 minute 30 seconds", "1 Minute 30 Sekunden", "1 minute 30 secondes"),
      (0, "0 seconds", "0 Sekunden", "0 seconde"),
      (90_000, "1 day 1 hour", "1 Tag 1 Stunde", "1 jour 1 heure"),
      (7200, "2 hours", "2 Stunden", "2 heures"), (.infinity, "a long time", "lange Zeit", "très longtemps"),
    ])
  func `spans of time are said in the page's language`(
    seconds: Double, english: String, german: String, french: String
  )
    throws
  {
    let catalog = try TextCatalog()
    #expect(catalog.choose(["en"]).span(seconds) == english && TerminalText.duration(seconds) == english)
    #expect(catalog.choose(["de"]).span(seconds) == german && catalog.choose(["fr"]).span(seconds) == french)
  }

  @Test func `a sentence is in the reader's language, and what stands in it stays as it is`() throws {
    let german = try TextCatalog().choose(["de"])
    let phrase = Phrase("checks.openToOthers", ["path": "/a {mode}", "mode": "644", "right": "600"])
    #expect(phrase.english == "other users have access to /a {mode} (mode 644)")
    #expect(phrase.text(in: german) == "andere Benutzer haben Zugriff auf /a {mode} (Rechte 644)")
    #expect(phrase.advice?.english == "Run: chmod 600 /a {mode}")
    #expect(phrase.advice?.text(in: german) == "Führen Sie aus: chmod 600 /a {mode}")
    let late = Phrase("checks.tlsEndsSoon", ["path": "c", "time": "t"], spans: ["span": 86_400])
    #expect(late.english == "c is valid until t, 1 day from now" && late.advice != nil)
    #expect(late.text(in: german) == "c gilt bis t, noch 1 Tag")
  }

  @Test func `what is well needs no advice, and what only commands say has the one that it was given`() {
    let subject = HealthCheck.Subject("tpm", "TPM")
    #expect(HealthCheck.Subject("tls")(.ok, text: "checks.tlsNone").advice == nil)
    let check = subject(.failed, "gone", advice: "Look.")
    #expect(
      check.json == ["check": "tpm", "state": "failed", "finding": "gone", "advice": "Look."])
  }
}
