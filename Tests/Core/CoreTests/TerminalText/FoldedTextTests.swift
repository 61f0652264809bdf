import Foundation
import TerminalText
import Testing

@Suite struct FoldedTextTests {
  @Test func `lines are broken between words and nothing else changes`() {
    let address = "https://id.example.com/" + String(repeating: "a", count: 90)
    let text = "Error: \(String(repeating: "word ", count: 30))see \(address) now.\n  Name   value\n\nPIN: "
    let folded = TerminalText.folded(text)
    let lines = folded.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.filter { $0.count > 80 } == [address], "an address stays whole, to be copied")
    #expect(lines.suffix(3) == ["  Name   value", "", "PIN: "])
    #expect(
      folded.split(whereSeparator: \.isWhitespace) == text.split(whereSeparator: \.isWhitespace))
  }

  @Test func `times have the zone`() {
    let date = Date(timeIntervalSince1970: 1_763_805_124)
    #expect(TerminalText.Times.text(date, in: .gmt) == "2025-11-22 09:52:04 UTC")
  }
}
