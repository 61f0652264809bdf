#if os(Linux) && DEBUG
  import CommonFixtures
  import Concurrency
  import Foundation
  import Testing
  import UserVerification

  @testable import PAMAgent

  /// `ledger=yes` of a local key: what was signed, on record.
  struct PAMLogTests {
    private func entries(_ scene: PAMScene) throws -> [PAMLog.Entry] {
      var entries: [PAMLog.Entry] = []
      try scene.record.verify { entries.append($0) }
      return entries
    }

    @Test func `each command that was let through is on record with its signature, before it runs`()
      async throws
    {
      let scene = try PAMScene(options: "ledger=yes")
      let key = try await scene.enrol()
      try await scene.withAgent { _ in
        // Nobody keeps it, so nobody is let in.
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil)
        try await scene.withRoot { _ in
          for _ in 0..<2 { #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == nil) }
          #expect(await scene.refusal(PAMPerson("")) != nil)
        }
      }
      let kept = try entries(scene)
      #expect(kept.count == 2 && kept.allSatisfy { $0.key == key.point && $0.request.user == PAMScene.user })
    }

    @Test(arguments: ["mira", "2030", "key", "gone", "moved", "twice", "cut", "other"])
    func `what was changed, taken out or moved is found`(change: String) async throws {
      let scene = try PAMScene(options: "ledger=yes")
      try await scene.enrol()
      try await scene.withAgent { _ in
        try await scene.withRoot { _ in
          for _ in 0..<3 { #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == nil) }
        }
      }
      let file = scene.folder.file("pam.log")
      var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
      switch change {
      case "mira": lines[1] = lines[1].replacing("user root", with: "user mira")
      case "2030": lines[1] = lines[1].replacing("time 1", with: "time 2")
      case "key": lines[1] = lines[1].replacing(#""key":"04"#, with: #""key":"05"#)
      case "gone": lines.remove(at: 1)
      case "moved": lines.swapAt(1, 2)
      case "twice": lines.insert(lines[1], at: 2)
      case "other": lines[1] = lines[1].replacing(#""kind":"signed""#, with: #""kind":"recovery""#)
      default: lines[1] = String(lines[1].dropLast(20))
      }
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      #expect(throws: PAMRootError.self) { try entries(scene) }
    }

    @Test func `what no enrolled key has signed is not kept`() async throws {
      let scene = try PAMScene(options: "ledger=yes")
      let key = try await scene.enrol()
      // Root has taken the key away between the signature and the record.
      try await scene.withAgent { _ in
        try await scene.withListener(at: scene.root) { channel in
          try? scene.write("# nobody\n")
          let check = PAMCheck(folder: scene.enrolled.path, settings: scene.settings, log: scene.record)
          _ = await check.answer(channel)
        } body: {
          #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == .notRecognised)
        }
      }
      #expect(key.hasPIN)
      #expect(throws: PAMRootError.self) { try entries(scene) }
    }
  }
#endif
