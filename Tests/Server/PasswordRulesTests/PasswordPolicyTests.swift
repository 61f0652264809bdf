import PasswordRules
import Testing

/// NIST SP 800-63B-4 §3.1.1.
@Suite("Password policy") struct PasswordPolicyTests {
  private let policy = PasswordPolicy()

  @Test(
    arguments: [
      "quiet meadow", "correct horse", "correct horse 1", "Palisade-19", "ünïcödé wörds", "パスワードは長い方がいい",
      "🦔🦊🦉🐝🐢🦋🐳🦩",
      "74936250", "        a b c        ", "Canada is cold today",
      String(repeating: "long words ", count: 23),
    ])
  func `no rule asks for kinds of characters, and spaces and Unicode are welcome`(password: String) {
    #expect(policy.faults(in: password, context: ["ada"]).isEmpty)
  }

  @Test(
    arguments: [
      "password", "PASSWORD", "Password1!", "12345678", "qwertyuiop", "sunshine", "!!sunshine12",
      "aaaaaaaaaaaa",
      "abababababab", "abcdefghijklm", "987654321", "ｐａｓｓｗｏｒｄ",
    ])
  func `passwords that are tried first are refused, in any case and with a few signs around them`(
    password: String
  ) { #expect(policy.faults(in: password, context: []) == [.common]) }

  @Test(
    arguments: [
      "lovelace-1815", "Ada.Lovelace!", "ada-password", "example.org99", "sealring2026", "xX-SealRing-Xx",
      "sealring-lovelace", "ADA-lovelace-1",
    ])
  func `passwords that rest on the user's name or address, or on the service's name, are refused`(
    password: String
  ) {
    let context = ["ada", "ada.lovelace@example.org"]
    #expect(policy.faults(in: password, context: context) == [.personal])
  }

  @Test func `a character is a code point of the normalized text`() {
    #expect(policy.faults(in: "zebrazo", context: []) == [.tooShort(minimum: 8)])
    #expect(policy.faults(in: "", context: []) == [.tooShort(minimum: 8)])
    #expect(policy.faults(in: "zebraze\u{301}o", context: []).isEmpty)
    #expect(policy.faults(in: "zebraze\u{301}", context: []) == [.tooShort(minimum: 8)])
    let longest = String(repeating: "wörds 🦔 ", count: 32)
    #expect(longest.unicodeScalars.count == 256)
    #expect(policy.faults(in: longest, context: []).isEmpty)
    #expect(policy.faults(in: longest + "x", context: []) == [.tooLong(maximum: 256)])
    let huge = String(repeating: "x y", count: 100_000)
    #expect(policy.faults(in: huge, context: []) == [.tooLong(maximum: 256)])
    #expect(
      PasswordPolicy(minimumLength: 15).faults(in: "quiet meadow", context: []) == [.tooShort(minimum: 15)])
    #expect(PasswordPolicy(minimumLength: 1).minimumLength == 8)
    #expect(PasswordPolicy(minimumLength: 1000).minimumLength == 64)
  }

  @Test func `characters that Unicode has not assigned are refused, because their form may change`() {
    #expect(policy.faults(in: "quiet meadow \u{378}", context: []) == [.unknownCharacters])
  }

  @Test func `what looks the same is the same, and has one limit at every door`() {
    #expect(PasswordText.normalized("ﬁne Å") == PasswordText.normalized("fine \u{212B}"))
    #expect(PasswordText.normalized("a b") == "a b")
    #expect(PasswordText.normalized("") == nil)
    #expect(PasswordText.normalized(String(repeating: "x", count: 1024)) != nil)
    #expect(PasswordText.normalized(String(repeating: "x", count: 1025)) == nil)
    #expect(PasswordText.normalized(String(repeating: "e\u{301}", count: 512)) != nil)
    #expect(PasswordText.formerlyNormalized("quiet meadow é") == nil)
    #expect(PasswordText.formerlyNormalized("ﬁne") == "ﬁne")
  }
}
