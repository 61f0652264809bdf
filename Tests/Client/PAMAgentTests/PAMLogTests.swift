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
          _ = await scene.check.answer(channel)
        } body: {
          #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == .notRecognised)
        }
      }
      #expect(key.hasPIN)
      #expect(throws: PAMRootError.self) { try entries(scene) }
    }

    private static func recovered() throws -> PAMRequest {
      let text = PAMRequestTests.text.replacing(
        "verify pin\nkey \(PAMRequestTests.point)", with: "verify recovery")
      return try PAMRequest(parsing: Array(text.utf8))
    }

    @Test func `half a line of a full disk ended what could be verified`() async throws {
      let folder = try TemporaryFolder.make()
      let path = folder.file("pam.log").path
      await #expect(processExitsWith: .success) { [path = path as String] in
        let (log, request) = (PAMLog(URL(filePath: path)), try PAMLogTests.recovered())
        try await log.append(recovered: request)
        let size = try #require(
          FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        ).uintValue
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: size + 50, rlim_max: rlim_t.max)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        await #expect(throws: PAMRootError.self) { try await log.append(recovered: request) }
        limit.rlim_cur = rlim_t.max
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        try await log.append(recovered: request)
        var count = 0
        try log.verify { _ in count += 1 }
        #expect(count == 2)
      }
    }

    /// Without its end, a whole line was an entry, and half a line was called changed.
    @Test(arguments: [1, 20, 10_000])
    func `a last line that was cut off is told from a changed one, and is no entry`(missing: Int)
      async throws
    {
      let folder = try TemporaryFolder.make()
      let (file, request) = (folder.file("pam.log"), try Self.recovered())
      var sizes = [0]
      for _ in 0..<3 {
        try await PAMLog(file).append(recovered: request)
        sizes.append(try Data(contentsOf: file).count)
      }
      let whole = try Data(contentsOf: file)
      for (verified, begin) in sizes.enumerated() where begin < whole.count {
        let end = max(begin + 1, sizes[verified + 1] - missing)
        try whole.prefix(end).write(to: file)
        var count = 0
        let error = #expect(throws: PAMRootError.self) { try PAMLog(file).verify { _ in count += 1 } }
        #expect(error?.errorDescription?.hasPrefix("Entry \(verified + 1) is cut off") == true)
        #expect(error?.isDamage == true)
        #expect(count == verified)
      }
      // What stands before it is looked at first.
      try (Data(whole.dropFirst(10)) + Data("{".utf8)).write(to: file)
      let error = #expect(throws: PAMRootError.self) { try PAMLog(file).verify { _ in } }
      #expect(error?.errorDescription?.hasPrefix("Entry 1 is damaged") == true)
    }

    @Test func `half a line of a crash, for which nobody was let in, is not in the way of the next`()
      async throws
    {
      let folder = try TemporaryFolder.make()
      let (file, request) = (folder.file("pam.log"), try Self.recovered())
      try Data(#"{"kind":"recov"#.utf8).write(to: file)
      try await PAMLog(file).append(recovered: request)
      var text = try String(contentsOf: file, encoding: .utf8)
      text += text.prefix(40)
      try Data(text.utf8).write(to: file)
      try await PAMLog(file).append(recovered: request)
      var count = 0
      try PAMLog(file).verify { _ in count += 1 }
      #expect(count == 2)
    }
  }
#endif
