import Foundation
import PingNetwork
import Testing

@Suite("Cookie dates")
struct CookieDateTests {
  @Test(
    arguments: [
      ("Wed, 21 Oct 2065 07:28:00 GMT", 3_023_335_680 as TimeInterval?),
      ("Wed, 21-Oct-65 07:28:00 GMT", 3_023_335_680), ("21 oct 2065 7:28:0", 3_023_335_680),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01-Jan-70 00:00:10 GMT", 10),
      ("31 Feb 2065 07:28:00", nil), ("21 Oct 2065", nil), ("07:28:00", nil), ("21 Oct 1500 07:28:00", nil),
      ("21 Oct 2065 25:28:00", nil), ("21 Oct 2065 x:7:28:0", nil), ("21 Oct 2065 7::28:0", nil),
      ("21 Oct 2065 07:28:00Z", 3_023_335_680), ("21 Oct ٢٠٦٥ 07:28:00", nil), ("", nil), ("never", nil),
    ])
  func `dates, §5.1.1`(text: String, expected: TimeInterval?) {
    #expect(CookieDate.parse(text)?.timeIntervalSince1970 == expected)
  }
}
