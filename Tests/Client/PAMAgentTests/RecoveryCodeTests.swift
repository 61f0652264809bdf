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
          #expect(notes.withLock { $0.first?.hasPrefix("Approved, by a recovery code, 9 are left.") } == true)
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
      let now = Date()
      let accepted = try await withThrowingTaskGroup(of: RecoveryCodes.Outcome.self) { group in
        for _ in 0..<50 { group.addTask { try await codes.use(code, at: now) } }
        return try await group.reduce(into: 0) { if case .accepted = $1 { $0 += 1 } }
      }
      #expect(accepted == 1)
      #expect(try codes.left() == 9)
    }

    @Test func `after five wrong codes none is taken for five minutes, also no right one`() async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      let codes = RecoveryCodes(try scene.file)
      let made = try await codes.renew()
      let start = Date(timeIntervalSince1970: 1_800_000_000)
      for _ in 0..<5 { #expect(try await codes.use("0000-0000-0000-0000-0000", at: start) == .wrong) }
      #expect(try await codes.use(made[0], at: start.addingTimeInterval(299)) == .locked)
      #expect(try await codes.use("x", at: start.addingTimeInterval(300)) == .wrong)
      #expect(try await codes.use(made[0], at: start.addingTimeInterval(301)) == .locked)
      // A clock that was set back does not lock for longer.
      #expect(try await codes.use(made[0], at: start.addingTimeInterval(-10)) == .accepted(left: 9))
      #expect(try await codes.use(made[1], at: start) == .accepted(left: 8))
    }

    @Test func `new codes end the earlier ones, and another user's are not one's own`() async throws {
      let scene = try PAMScene()
      let codes = RecoveryCodes(try scene.file)
      let earlier = try await codes.renew()
      let later = try await codes.renew()
      #expect(try await codes.use(earlier[0], at: Date()) == .wrong)
      // The same hash under another name.
      let lines = try scene.file.lines()
      let other = try PAMUserFile(user: "mira", folder: scene.enrolled.path)
      for line in lines { try await other.add(line) }
      #expect(try await RecoveryCodes(other).use(later[0], at: Date()) == .wrong)
      #expect(try await codes.use(later[0], at: Date()) == .accepted(left: 9))
    }
  }
#endif
