import Bytes
import Foundation
import Testing

struct HexadecimalTests {
  @Test func `every byte has two lower case digits`() {
    #expect(([0x00, 0x0F, 0xA0, 0xFF] as [UInt8]).hexadecimal == "000fa0ff")
    #expect([UInt8]().hexadecimal.isEmpty)
    for byte in UInt8.min ... .max {
      let digits = [byte].hexadecimal
      #expect(UInt8(digits, radix: 16) == byte && digits.count == 2)
    }
  }

  @Test func `digits of both cases have values`() {
    #expect("09afAF".utf8.map(Hexadecimal.value) == [0, 9, 10, 15, 10, 15])
    #expect("/:@G`g-".utf8.allSatisfy { Hexadecimal.value(of: $0) == nil })
    #expect(
      "09afAF".utf8.allSatisfy(Hexadecimal.isDigit) && !"/:@G`g-".utf8.contains(where: Hexadecimal.isDigit))
    #expect("09af".utf8.allSatisfy(Hexadecimal.isLowercaseDigit))
    #expect(!"AF/:@G`g-".utf8.contains(where: Hexadecimal.isLowercaseDigit))
  }

  @Test func `sixteen bytes are a UUID`() {
    #expect(Hexadecimal.decode("00fFa0") == [0, 0xFF, 0xA0] && (1 as UInt16).bigEndianBytes == [0, 1])
    #expect(Hexadecimal.decode("0") == nil && Hexadecimal.decode("0g") == nil)
    #expect(Hexadecimal.uuid((0..<16).map { UInt8($0) }) == "00010203-0405-0607-0809-0a0b0c0d0e0f")
  }
}

struct PercentEncodingTests {
  @Test(arguments: [
    ("AZaz09-._~", "AZaz09-._~"), ("a b+c/d", "a%20b%2Bc%2Fd"), ("ü", "%C3%BC"), ("\u{0}\n", "%00%0A"),
    ("%", "%25"),
    ("", ""),
  ])
  func `only unreserved characters stay`(plain: String, encoded: String) {
    #expect(PercentEncoding.encode(plain) == encoded)
    #expect(PercentEncoding.decode(encoded) == plain)
    #expect(PercentEncoding.decode(encoded.lowercased())?.lowercased() == plain.lowercased())
  }

  @Test(arguments: ["%", "%1", "%G0", "%C3", "%ü"])
  func `broken encodings are refused`(text: String) { #expect(PercentEncoding.decode(text) == nil) }

  @Test func `a plus is no space`() { #expect(PercentEncoding.decode("a+b") == "a+b") }
}

struct MillisecondsTests {
  @Test func `times come back to the millisecond`() {
    let date = Date(millisecondsSince1970: 1_767_225_600_123)
    #expect(date.millisecondsSince1970 == 1_767_225_600_123)
    #expect((date + 0.0004).roundedToMilliseconds == date)
    #expect(Date(millisecondsSince1970: -1).millisecondsSince1970 == -1)
  }

  /// The server's own conversions trapped on these, which a token or a file can hold.
  @Test(arguments: [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude, 1e17])
  func `times that nobody can count become zero`(seconds: Double) {
    #expect(Date(timeIntervalSince1970: seconds).millisecondsSince1970 == 0)
  }

  @Test func `distant times are counted`() {
    #expect(Date.distantFuture.millisecondsSince1970 == 64_092_211_200_000)
    #expect(Date(millisecondsSince1970: .max).millisecondsSince1970 == 0)
  }
}
