#if os(Linux) && DEBUG
  import CommonFixtures
  import Concurrency
  import Foundation
  import Testing
  import UserVerification

  @testable import PAMAgent

  /// Recovery codes at the prompt of the module.
  struct RecoveryCodeTests {
    @Test func `a code stands for the PIN once, and ten have one form`() async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      let codes = try await RecoveryCodes(scene.file).renew()
      #expect(codes.count == 10 && Set(codes).count == 10)
      #expect(
        codes.allSatisfy { $0.wholeMatch(of: /([0-9a-hjkmnp-tv-z]{4}-){4}[0-9a-hjkmnp-tv-z]{4}/) != nil })
      #expect(try !scene.file.lines().joined().contains(codes[0]))
      try await scene.withAgent { _ in
        try await scene.withRoot { notes in
          #expect(await scene.refusal(PAMPerson(codes[0].uppercased())) == nil)
          #expect(await scene.refusal(PAMPerson(codes[0], "")) == .notRecognised)
          #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == nil)
          try await eventually("it is noted") {
            notes.withLock { $0.first?.hasPrefix("Approved, by a recovery code, 9 are left.") } == true
          }
        }
      }
      #expect(try RecoveryCodes(scene.file).left() == 9)
      var entries: [PAMLog.Entry] = []
      try scene.record.verify { entries.append($0) }
      #expect(entries.count == 1 && entries[0].key == nil && entries[0].request.user == PAMScene.user)
    }

    @Test func `without the agent a code is asked for, and only of people who have one`() async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      try await scene.withRoot { _ in
        let nobody = PAMPerson(PAMScene.pin)
        #expect(await scene.refusal(nobody) != nil)
        #expect(nobody.questions.isEmpty, "\(nobody.questions)")
        let codes = try await RecoveryCodes(scene.file).renew()
        let person = PAMPerson("wrong", codes[3])
        #expect(await scene.refusal(person) == nil)
        #expect(person.questions.first == "Sealring: recovery code (Return for none)", "\(person.questions)")
      }
      // Root's service is not there either.
      let person = PAMPerson(try await RecoveryCodes(scene.file).renew()[0])
      #expect(await scene.refusal(person) != nil)
    }

    @Test func `of fifty that try the same code at once one is let in`() async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      let codes = RecoveryCodes(try scene.file)
      let code = try await codes.renew()[0]
      let accepted = try await withThrowingTaskGroup(of: Int?.self) { group in
        for _ in 0..<50 { group.addTask { try await codes.use(code) } }
        return try await group.reduce(into: 0) { if $1 != nil { $0 += 1 } }
      }
      #expect(accepted == 1)
      #expect(try codes.left() == 9)
    }

    // It was: a wrong code every five minutes, which a stranger can enter where `callers=any` asks, kept out the person for ever.
    @Test func `no number of wrong codes keeps a right one out`() async throws {
      let scene = try PAMScene()
      let code = try await RecoveryCodes(scene.file).renew()[0]
      for _ in 0..<4 {
        let asking = try scene.ask(scene.challenge(for: PAMScene.user))
        for _ in 0..<3 {
          #expect(await asking.line()?.hasPrefix("ask ") == true)
          asking.module.send("pin 0000-0000-0000-0000-0000")
        }
        #expect(await asking.line() == "refused")
      }
      let person = PAMPerson("wrong", code)
      try await scene.withRoot { _ in #expect(await scene.refusal(person) == nil, "\(person.questions)") }
    }

    @Test func `new codes end the earlier ones, and another user's are not one's own`() async throws {
      let scene = try PAMScene()
      let codes = RecoveryCodes(try scene.file)
      let earlier = try await codes.renew()
      let later = try await codes.renew()
      #expect(try await codes.use(earlier[0]) == nil)
      // The same hash under another name.
      let lines = try scene.file.lines()
      let other = try PAMUserFile(user: "mira", folder: scene.enrolled.path)
      for line in lines { try await other.add(line) }
      #expect(try await RecoveryCodes(other).use(later[0]) == nil)
      #expect(try await codes.use(later[0]) == 9)
    }

    @Test func `root's remarks outlive the use of a code`() async throws {
      let scene = try PAMScene()
      try scene.write("# her laptop\n\n# until May\n")
      let codes = RecoveryCodes(try scene.file)
      let code = try await codes.renew()[0]
      #expect(try await codes.use(code) == 9)
      let text = try String(contentsOf: scene.enrolled.appending(path: PAMScene.user), encoding: .utf8)
      #expect(text.hasPrefix("# her laptop\n\n# until May\nrecovery "), "\(text)")
      #expect(try scene.file.lines().count == 9)
    }
  }
#endif
