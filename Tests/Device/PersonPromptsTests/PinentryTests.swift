#if os(Linux)
  import CommonFixtures
  import Foundation
  import Testing

  @testable import PersonPrompts

  /// What the agent makes of a `pinentry`, with scripts in its place.
  struct PinentryTests {
    @Test(arguments: ["a%b\nc\u{1B}", "plain", "é"])
    func `what pinentry is told is one line, and what it says is read back`(text: String) {
      let escaped = Pinentry.escaped(text)
      #expect(!escaped.utf8.contains { $0 < 0x20 })
      #expect(Pinentry.unescaped(escaped.utf8) == Array(text.utf8))
      #expect(Pinentry.unescaped("%4".utf8) == nil && Pinentry.unescaped("%zz".utf8) == nil)
    }

    // It could press the button itself, but it does not know a PIN.
    @Test func `a yes is never asked for on the terminal of the program that asks`() async {
      let pinentry = Pinentry("/bin/false", terminal: nil, environment: [:])
      for (needsPIN, isAsked) in [(true, true), (false, false)] {
        let question = PersonQuestion(
          title: "", action: "", facts: [], needsPIN: needsPIN, terminal: "/dev/pts/0")
        let answer = await pinentry.ask(question, until: Date(timeIntervalSinceNow: 5))
        if case .nobody = answer { #expect(!isAsked) } else { #expect(isAsked && answer == .no) }
      }
    }

    private func withPinentry(
      _ lines: [String], _ body: (_ pinentry: Pinentry, _ folder: URL) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let path = folder.appending(path: "pinentry").path(percentEncoded: false)
        try (["#!/bin/sh"] + lines).joined(separator: "\n").write(
          toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        let environment = ["DISPLAY": ":0", "FOLDER": folder.path(percentEncoded: false)]
        try await body(Pinentry(path, terminal: nil, environment: environment), folder)
      }
    }

    private func question(_ value: String = "ada", rows: Int = 1) -> PersonQuestion {
      PersonQuestion(
        title: "A program wants to sign in by SSH.", action: "Sign in?",
        facts: Array(repeating: PersonQuestion.Fact("Account", value), count: rows), needsPIN: false,
        terminal: nil)
    }

    private static func refusing(_ command: String) -> [String] {
      [
        "echo OK", "while read -r command rest; do",
        "  case $command in \(command)) echo ERR 1;; *) echo OK;; esac",
        "done",
      ]
    }

    @Test(arguments: [("SETTITLE", PersonAnswer.yes), ("SETDESC", .no), ("CONFIRM", .no)])
    func `a question whose text was not taken is not agreed to`(command: String, answer: PersonAnswer)
      async throws
    {
      try await withPinentry(Self.refusing(command)) { pinentry, _ in
        #expect(await pinentry.ask(question(), until: Date(timeIntervalSinceNow: 60)) == answer)
      }
    }

    // Each row is shown whole: of 3 × 200 letters none is left out, and 10 × 200 are more than pinentry takes.
    @Test(arguments: [("a", 3, true), ("a", 10, false), ("é", 3, false)])
    func `a question that pinentry would cut is not asked`(letter: String, rows: Int, isAsked: Bool)
      async throws
    {
      try await withPinentry(Self.refusing("nothing")) { pinentry, _ in
        let question = question(String(repeating: letter, count: 200), rows: rows)
        let answer = await pinentry.ask(question, until: Date(timeIntervalSinceNow: 60))
        if case .nobody = answer { #expect(!isAsked) } else { #expect(isAsked && answer == .yes) }
      }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a pinentry that stands still is ended by force, also when what it started lives on`() async throws {
      let stop = ["/bin/sleep 40 &", "echo OK", "(kill -STOP $$; : > \"$FOLDER/stopped\")"]
      try await withPinentry(stop) { pinentry, folder in
        let task = Task { await pinentry.ask(question(), until: Date(timeIntervalSinceNow: 600)) }
        try await eventually("it stands still") {
          FileManager.default.fileExists(atPath: folder.appending(path: "stopped").path)
        }
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value == .no)
        #expect(start.duration(to: .now) < .seconds(20))
      }
    }
  }
#endif
