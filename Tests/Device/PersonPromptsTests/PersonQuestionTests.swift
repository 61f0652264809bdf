import CommonFixtures
import Concurrency
import Foundation
import TerminalPrompts
import Testing

@testable import PersonPrompts

struct PersonQuestionTests {
  private func question(_ value: String) -> PersonQuestion {
    PersonQuestion(
      title: "A program wants to know that it is you.", action: "Is it you",
      facts: [.init("Command", value), .init("Key", "laptop")], needsPIN: false, terminal: nil)
  }

  @Test func `what decides the answer is shown to its end, and passes for no other fact`() {
    let words = (1...120).map { "word\($0)" } + ["Key", "desk", "--recursive=/"]
    let lines = question(words.joined(separator: " ")).details.split(separator: "\n")
    #expect(lines.first?.hasPrefix("  Command  word1 ") == true && lines.last == "  Key      laptop")
    #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix("           ") })
    let shown = lines.dropLast().joined(separator: " ").split(separator: " ").dropFirst()
    #expect(shown.map(String.init) == words)
  }

  // `rm -rf /srv/… /` must not look like one folder, and one folder not like two.
  @Test func `a word that is broken does not look like two`() {
    let path = "/srv/" + String(repeating: "a", count: 200)
    let one = question("rm -rf \(path)/").details
    let two = question("rm -rf \(path) /").details
    #expect(one != two)
    #expect(one.contains("\n           …a") && !one.contains("\n           a"))
    let full = question("rm \(String(repeating: "a", count: 67)) /").details.split(separator: "\n")
    #expect(full[1] == "           \(String(repeating: "a", count: 67))" && full[2] == "           /")
  }

  @Test(
    arguments: [(10, nil, true), (30, nil, false), (30, 50, true), (60, 50, false)] as [(Int, UInt16?, Bool)])
  func `a question that scrolls out of sight is not asked`(lines: Int, rows: UInt16?, isAsked: Bool)
    async throws
  {
    let line = try #require(PseudoTerminal())
    if let rows { line.resize(columns: 80, rows: rows) }
    let held = line.hold()
    defer { close(held) }
    let prompt = TerminalPersonPrompt(Terminal { open(line.path, O_RDWR | O_NOCTTY | O_CLOEXEC) })
    let words = Array(repeating: String(repeating: "a", count: 60), count: lines).joined(separator: " ")
    async let answer = prompt.ask(question(words), until: Date(timeIntervalSinceNow: 60))
    if isAsked {
      _ = await line.read(until: "(y/n): ")
      line.type("y\n")
    }
    #expect(await (answer == .yes) == isAsked)
    if !isAsked, case .nobody = await answer {} else { #expect(isAsked) }
  }

  // What was printed below it meanwhile may have pushed it out of sight.
  @Test func `what decides the answer is shown again with the time that is left`() async throws {
    let line = try #require(PseudoTerminal())
    let held = line.hold()
    defer { close(held) }
    let (start, looks) = (Date(), Locked(0))
    // Each look at the clock takes a second.
    let terminal = Terminal(
      clock: {
        looks.withLock { count in
          count += 1
          return start + TimeInterval(count)
        }
      }, openDevice: { open(line.path, O_RDWR | O_NOCTTY | O_CLOEXEC) })
    async let answer = TerminalPersonPrompt(terminal).ask(question("reboot"), until: start + 11.9)
    _ = await line.read(until: "(y/n): ")
    let again = await line.read(until: "(y/n): ")
    #expect(again.contains("10 seconds left.") && again.contains("Command  reboot"), "\(again)")
    line.type("y\n")
    #expect(await answer == .yes)
  }
}
