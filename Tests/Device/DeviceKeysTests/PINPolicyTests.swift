import Testing

@testable import DeviceKeys

/// Which PINs may be chosen.
@Suite struct PINPolicyTests {
  static let refused: [(String, PINPolicyViolation)] = [
    ("", .tooShort(minimum: 4)), ("483", .tooShort(minimum: 4)), ("1234", .pattern), ("2580", .common),
    (String(repeating: "ab1 x", count: 26), .tooLong(maximum: 128)),
    ("48\n371", .controlCharacter), ("48\u{0}371", .controlCharacter),
    ("111111", .pattern), ("000000", .pattern), ("aaaaaaa", .pattern), ("121212", .pattern),
    ("123123", .pattern), ("74107410", .pattern), ("abcabcabc", .pattern), ("123456", .pattern),
    ("654321", .pattern), ("567890", .pattern), ("098765", .pattern), ("abcdef", .pattern),
    ("147258", .common), ("112233", .common), ("password", .common), ("PassWord", .common),
    ("qwerty", .common), ("1q2w3e4r", .common), ("iloveyou", .common), ("11223344", .common),
  ]

  @Test(arguments: refused)
  func `refuses what is short or guessed first`(pin: String, violation: PINPolicyViolation) {
    #expect(PINPolicy.standard.violation(of: PIN(pin)) == violation)
  }

  @Test(arguments: [
    "4837", "48371", "483716", "120385", "correct horse battery staple", "sésame", "鍵は秘密です", "🔑🔒🗝️🐎🔋x",
    "123457x", "1111112",
    String(repeating: "Xy4! ", count: 25),
  ])
  func `accepts others`(pin: String) {
    #expect(PINPolicy.standard.violation(of: PIN(pin)) == nil)
  }

  /// Letters that repeat stay in the list, because only the list ignores case.
  @Test func `the list had digits that the patterns find`() {
    let found = CommonPINs.all.filter { pin in
      let digits = Array(pin.unicodeScalars)
      return digits.allSatisfy { ("0"..."9").contains($0) }
        && (PINPatterns.isRepetition(digits) || PINPatterns.isRun(digits))
    }
    #expect(found == [])
    #expect(PINPolicy.standard.violation(of: PIN("TESTtest")) == .common)
  }

  /// All digits that the list leaves out are among these.
  @Test func `refuses every repetition of up to eight digits, and every run of up to ten`() {
    var pins: [String] = []
    for (length, count) in [(1, 10), (2, 100), (3, 1000), (4, 10_000)] {
      for number in 0..<count {
        let digits = String(number)
        let piece = String(repeating: "0", count: length - digits.count) + digits
        for times in 2...8 where (4...8).contains(length * times) {
          pins.append(String(repeating: piece, count: times))
        }
      }
    }
    for first in 0...9 {
      for step in [1, 9] {
        for length in 4...10 { pins.append((0..<length).map { "\((first + $0 * step) % 10)" }.joined()) }
      }
    }
    #expect(pins.filter { PINPolicy.standard.violation(of: PIN($0)) != .pattern } == [])
  }

  @Test func `characters are counted as they look`() {
    let policy = PINPolicy(minimumLength: 6)
    // Five letters, one of them composed of two code points when it was entered.
    #expect(policy.violation(of: PIN("cafe\u{301}1")) == .tooShort(minimum: 6))
    #expect(policy.violation(of: PIN("cafe\u{301}17")) == nil)
  }

  @Test(arguments: [(-1, 4), (0, 4), (3, 4), (4, 4), (8, 8), (1000, 128)])
  func `the minimum is never below four`(asked: Int, given: Int) {
    #expect(PINPolicy(minimumLength: asked).minimumLength == given)
  }

  @Test(
    arguments: [
      ("4837", nil), ("48a7", .notDigits), ("٤٨٣٧", .notDigits), ("", .tooShort(minimum: 4)),
      ("1234", .pattern), ("1212", .pattern), ("2580", .common), ("1987", .common),
    ] as [(String, PINPolicyViolation?)])
  func `digits only`(pin: String, violation: PINPolicyViolation?) {
    #expect(PINPolicy(minimumLength: 4, characters: .digits).violation(of: PIN(pin)) == violation)
  }

  @Test func `the list can be left out and the app has its own`() {
    let policy = PINPolicy(refusesCommon: false, refused: ["Acme-Bank", "cafe\u{301}-17"])
    #expect(policy.violation(of: PIN("123456")) == nil)
    #expect(policy.violation(of: PIN("ACME-BANK")) == .common)
    #expect(policy.violation(of: PIN("caf\u{e9}-17")) == .common)
    #expect(policy.violation(of: PIN("Acme-Bank1")) == nil)
  }

  @Test(arguments: [
    PINPolicyViolation.tooShort(minimum: 6), .tooLong(maximum: 128), .notDigits, .controlCharacter, .pattern,
    .common,
  ])
  func `violations say what to do`(violation: PINPolicyViolation) throws {
    let text = try #require(violation.errorDescription)
    #expect(text.hasPrefix("The PIN ") && text.hasSuffix(".") && text.contains(". "))
  }

  @Test func `stores take what a policy refuses`() async throws {
    let store = MemoryKeyStore()
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("1")))
    _ = try await store.openKey(tag: "k", unlock: .pin(PIN("1")))
  }
}
