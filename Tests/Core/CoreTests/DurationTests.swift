import TerminalText
import Testing

@Suite struct DurationTests {
  @Test(
    arguments: [
      (0, "0 seconds"), (-5, "0 seconds"), (1, "1 second"), (14.2, "15 seconds"), (60, "1 minute"),
      (90, "1 minute 30 seconds"), (899, "14 minutes 59 seconds"), (900, "15 minutes"), (3600, "1 hour"),
      (3661, "1 hour 1 minute"), (7200, "2 hours"), (90_000, "1 day 1 hour"), (.nan, "a long time"),
      (.infinity, "a long time"), (-.infinity, "0 seconds"),
    ] as [(Double, String)])
  func `times are said in words`(seconds: Double, text: String) {
    #expect(TerminalText.duration(seconds) == text)
  }
}
