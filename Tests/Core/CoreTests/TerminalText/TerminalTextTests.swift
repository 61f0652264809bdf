import Testing

@testable import TerminalText

/// What others wrote, on a terminal.
struct TerminalTextTests {
  @Test(arguments: [
    ("Bank \u{202E}gro.live", "Bank gro.live"), ("a\u{1b}[2Jb", "a [2Jb"), ("a\u{9b}2Jb", "a 2Jb"),
    ("one\ntwo\r\nthree\u{2028}four", "one two three four"), ("a\u{200B}b\u{FEFF}c\u{E0041}", "abc"),
    ("agent    from      10.0.0.5", "agent from 10.0.0.5"), ("a\u{3000}\u{A0} \u{2800} b", "a b"),
    ("\u{3164}\u{115F}x\u{E000}", "x"), ("  both ends\t", "both ends"), ("Grüße, 東京 👍🏽", "Grüße, 東京 👍🏽"),
  ])
  func `what controls hides or reorders is gone`(text: String, shown: String) {
    #expect(TerminalText.line(text) == shown)
  }

  @Test func `marks that draw over other lines are taken off`() {
    #expect(TerminalText.line("a" + String(repeating: "\u{0335}", count: 40) + "b") == "ab")
    #expect(TerminalText.line("a\u{0323}\u{0302}") == "a\u{0323}\u{0302}")
  }

  @Test func `a line is cut by its columns`() {
    #expect(TerminalText.line("12345", columns: 5) == "12345")
    #expect(TerminalText.line("123456", columns: 5) == "1234…")
    #expect(TerminalText.line("東京都庁", columns: 5) == "東京…")
  }

  @Test func `quoted text is marked on every line also where it is broken`() {
    let long = String(repeating: "word ", count: 40) + String(repeating: "x", count: 200)
    let quoted = TerminalText.quoted(["Title", "", "  Server   https://bank.example", long])
    let lines = quoted.split(separator: "\n")
    #expect(lines.count > 5 && lines.allSatisfy { $0.hasPrefix("  | ") && $0.count <= TerminalText.columns })
    #expect(lines[1] == "  | Server https://bank.example")
    #expect(TerminalText.quoted([]).isEmpty)
  }

  @Test func `quoted text cannot push what stands above off the screen`() {
    let texts = (1...50).map { "line \($0)" }
    #expect(TerminalText.quoted(texts).split(separator: "\n").count == 10)
    #expect(TerminalText.quoted(texts).hasSuffix("  | …\n"))
    #expect(TerminalText.quoted(texts, lines: nil).split(separator: "\n").count == 50)
  }

  @Test func `a statement keeps its lines and one that is broken cannot pass for two`() {
    let long = String(repeating: "word ", count: 20) + "Server   https://bank.example"
    let lines = TerminalText.statement(["PIN:", "", long]).split(separator: "\n").map(String.init)
    #expect(lines.prefix(3) == ["  | PIN:", "  |", "  | " + String(repeating: "word ", count: 12) + "word"])
    #expect(lines.count > 3 && lines.dropFirst(3).allSatisfy { $0.hasPrefix("  |       ") })
    #expect(lines.allSatisfy { $0.count <= TerminalText.columns })
    #expect(TerminalText.statement([]).isEmpty)
  }

  @Test(arguments: [
    ("https://am.example.com/am", "https://am.example.com/am"),
    ("https://bank.example@evil.example/am", "https://evil.example/am"),
    ("https://evil.example/\u{301}@bank.example", "https://evil.example/\u{301}@bank.example"),
    ("https://\u{301}bank.example@\u{301}evil.example/am", "https://\u{301}evil.example/am"),
    (
      "https://login.bank.example." + String(repeating: "a", count: 60) + ".evil.example:8443/am",
      "https://…" + String(repeating: "a", count: 30) + ".evil.example:8443/am"
    ),
    (
      "https://evil.example/" + String(repeating: "login.bank.example/", count: 5),
      "https://evil.example/login.bank.exa…"
    ), ("none", "none"),
  ])
  func `of a long address the domain that somebody registered stays in sight`(text: String, shown: String) {
    #expect(TerminalText.address(text) == shown)
  }

  @Test func `a long value stays beside its name, and leaves the others on the screen`() {
    let agent =
      String(repeating: " ", count: 60) + "\n  from  10.0.0.5" + String(repeating: "y", count: 2000)
    let rows = TerminalText.rows([("from", "203.0.113.7"), ("with", agent), ("at", " "), ("on", "foot")])
    let lines = rows.split(separator: "\n")
    #expect(lines.count == 7 && lines.allSatisfy { $0.count <= TerminalText.columns })
    #expect(lines[0] == "  from  203.0.113.7" && lines[1] == "  with  from" && lines[6] == "  on    foot")
    #expect(lines[2].hasPrefix("        10.0.0.5yyy") && lines[3].hasPrefix("        …yyy"))
    #expect(lines[5].hasSuffix("y…"))
    let whole = TerminalText.rows([("with", agent)], lines: nil)
    #expect(whole.count { $0 == "y" } == 2000)
  }

  @Test func `a broken word is marked in every form`() {
    let word = String(repeating: "w", count: 100)
    for text in [
      TerminalText.quoted([word]), TerminalText.statement([word]), TerminalText.rows([("a", word)]),
    ] {
      let lines = text.split(separator: "\n")
      #expect(lines.count == 2 && lines[1].contains(" …w") && !lines[0].contains("…"))
      #expect(text.count { $0 == "w" } == 100)
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a word of a megabyte is broken in the time of one pass`() {
    let rows = TerminalText.rows([("a", String(repeating: "東", count: 1 << 18))], lines: nil)
    #expect(rows.count { $0 == "東" } == 1 << 18)
  }
}
