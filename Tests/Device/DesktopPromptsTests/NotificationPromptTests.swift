#if os(Linux) && DEBUG
  import CommonFixtures
  import Foundation
  import PersonFixtures
  import PersonPrompts
  import StrictJSON
  import Testing

  @testable import DesktopPrompts

  /// With a real dbus-daemon.
  @Suite(.timeLimit(.minutes(1)))
  struct NotificationPromptTests {
    static func question(
      _ value: String = "ada", rows: Int = 1, needsPIN: Bool = false
    ) -> PersonQuestion {
      PersonQuestion(
        title: "A program wants to know that it is you.", action: "Is it you?",
        facts: Array(repeating: PersonQuestion.Fact("Command", value), count: rows), needsPIN: needsPIN,
        terminal: nil)
    }

    private var soon: Date { Date(timeIntervalSinceNow: 40) }

    @Test(arguments: [
      (["press yes"], PersonAnswer.yes), (["press no"], .no), (["close"], .no), (["quit"], .no),
      // The text itself is not a button.
      (["press default", "press no"], .no), (["press YES", "close"], .no),
      // One answer.
      (["press no", "press yes"], .no), (["close", "press yes"], .no),
      // Another's notification, another program, another service.
      (["press-other yes", "press no"], .no), (["forge yes", "press no"], .no),
      (["forge no", "press yes"], .yes),
      (["replace yes"], .no),
    ])
    func `only a button of this notification by the service that shows it is an answer`(
      acts: [String], answer: PersonAnswer
    ) async throws {
      try await NotificationService.run(acts) { service in
        #expect(await service.prompt.ask(Self.question(), until: soon) == answer)
      }
    }

    @Test func `the notification says what is asked and until when, and what others chose is not markup`()
      async throws
    {
      try await NotificationService.run(["press yes"]) { service in
        _ = await service.prompt.ask(
          Self.question("<b>rm</b> \"&\"\nKey: none\u{1B}[2J\u{202E}"), until: soon)
        let shown = try JSONValue(parsing: Array(await service.next().utf8))
        #expect(shown["title"]?.stringValue == "A program wants to know that it is you.")
        let lines = try #require(shown["body"]?.stringValue).split(separator: "\n")
        #expect(lines.count == 3, "\(lines)")
        #expect(lines[0].hasPrefix("Command: &lt;b&gt;rm&lt;/b&gt; &quot;&amp;&quot; Key: none"))
        #expect(!lines[0].contains("\u{1B}") && !lines[0].contains("\u{202E}"))
        #expect(lines[1] == "Is it you?" && lines[2].hasPrefix("Answer until 20"))
        #expect(shown["actions"]?.arrayValue?.count == 4 && shown["urgency"] == 2)
        #expect((1...40_000).contains(shown["time"]?.integerValue ?? 0))
        #expect(try await service.next() == "closed 7")
      }
    }

    @Test func `the end of the time and a cancelled task are a no, and take the notification away`()
      async throws
    {
      try await NotificationService.run { service in
        let clock = ManualClock()
        let prompt = service.prompt(on: clock)
        for end in [{ clock.advance(by: .seconds(40)) }, nil] {
          let task = Task { await prompt.ask(Self.question(), until: soon) }
          _ = try await service.next()
          if let end { end() } else { task.cancel() }
          #expect(await task.value == .no)
          #expect(try await service.next() == "closed 7")
        }
      }
    }

    @Test func `what cannot be shown whole, and a PIN, is not asked`() async throws {
      try await NotificationService.run { service in
        for question in [
          Self.question(String(repeating: "é", count: 700)), Self.question(rows: 20),
          Self.question(needsPIN: true),
        ] {
          guard case .nobody = await service.prompt.ask(question, until: soon) else {
            Issue.record("it was asked")
            return
          }
        }
      }
    }

    @Test(arguments: ["body", "actions", ""])
    func `a desktop without buttons or texts is not asked`(capabilities: String) async throws {
      try await NotificationService.run(["press yes"], capabilities: capabilities) { service in
        guard case .nobody = await service.prompt.ask(Self.question(), until: soon) else {
          Issue.record("it was asked")
          return
        }
      }
    }

    @Test(arguments: [
      [:], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"], ["XDG_RUNTIME_DIR": "/nonexistent"],
    ])
    func `without a desktop the next in the chain is asked`(environment: [String: String]) async {
      let chain = PromptChain([NotificationPrompt(environment), NobodyToAsk()])
      guard case .nobody(let reasons) = await chain.ask(Self.question(), until: soon) else {
        Issue.record("somebody was asked")
        return
      }
      #expect(reasons.contains("desktop") && reasons.contains("terminal"), "\(reasons)")
    }
  }
#endif
