import Bytes
import Foundation
import Testing

@Suite struct DateTextTests {
  @Test(arguments: [
    ("2026-11-27T05:00:00Z", 1_795_755_600.0), ("2026-11-27T05:00:00.250Z", 1_795_755_600.25),
    ("2026-11-27", nil), ("", nil), ("now", nil),
  ])
  func `ISO 8601 is read with fractions of a second and without`(text: String, seconds: Double?) {
    #expect(Date(iso8601: text)?.timeIntervalSince1970 == seconds)
  }

  @Test func `a time is written with milliseconds, and read again as the same`() {
    let time = Date(timeIntervalSince1970: 1_795_755_600.25)
    let text = time.formatted(Date.ISO8601FormatStyle.milliseconds)
    #expect(text == "2026-11-27T05:00:00.250Z")
    #expect(Date(iso8601: text) == time)
  }

  @Test func `a fixed form is the same in every language and zone`() {
    let date = DateFormatter(fixed: "EEE, dd MMM yyyy HH:mm:ss 'GMT'")
    #expect(date.string(from: Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(date.date(from: "Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
  }
}
