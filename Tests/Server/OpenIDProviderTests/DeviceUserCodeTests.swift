import CommonFixtures
import OpenIDProvider
import Testing

@Suite("Codes that devices show") struct DeviceUserCodeTests {
  @Test(arguments: ["BCDF-GHJK", "bcdfghjk", "bcdf ghjk", " B-C-D-F-G-H-J-K ", "bCdF--gHjK"])
  func `a code is read however it is typed`(text: String) {
    #expect(DeviceUserCode(typed: text)?.text == "BCDF-GHJK")
  }

  @Test(arguments: [
    "", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF-GHJ1", "BCDF–GHJK", "ＢＣＤＦＧＨＪＫ", "BCDF_GHJK",
    "BCDF\nGHJK",
    String(repeating: "-", count: 64) + "BCDFGHJK",
  ])
  func `what is no code is none`(text: String) { #expect(DeviceUserCode(typed: text) == nil) }

  @Test func `new codes have every letter equally often, and are read as they are shown`() {
    var (counts, generator): ([Character: Int], SeededGenerator) = ([:], SeededGenerator(seed: 1))
    for _ in 0..<2000 {
      let code = DeviceUserCode { count in
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      }
      #expect(DeviceUserCode(typed: code.text) == code && code.text.count == 9)
      for letter in code.letters { counts[letter, default: 0] += 1 }
    }
    // 800 of each on average; bytes without rejection would give 16 letters 812 and four 750.
    #expect(counts.count == 20 && counts.values.allSatisfy { (680...920).contains($0) })
    #expect(counts.keys.allSatisfy { !"AEIOUY".contains($0) })
  }

  @Test func `bytes that would favour some letters are left out`() {
    let code = DeviceUserCode { count in (0..<count).map { $0 % 2 == 0 ? 255 : 240 - UInt8($0) } }
    #expect(code.letters == "ZWTRPMKH")
  }
}
