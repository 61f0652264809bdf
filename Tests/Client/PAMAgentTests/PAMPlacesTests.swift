#if os(Linux) && DEBUG
  import CommonFixtures
  import Concurrency
  import Foundation
  import Testing

  @testable import PAMAgent

  /// Root's service has places for everybody.
  @Suite(.timeLimit(.minutes(2)))
  struct PAMPlacesTests {
    @Test func `whoever waits three times is asked no fourth time, and keeps nobody else waiting`()
      async throws
    {
      let scene = try PAMScene()
      var codes: [String: String] = [:]
      for user in ["mira", "ada"] {
        let file = try PAMUserFile(user: user, folder: scene.enrolled.path)
        codes[user] = try await RecoveryCodes(file).renew()[0]
      }
      var waiting: [Asking] = []
      for _ in 0..<PAMPlaces.count {
        waiting.append(try scene.ask(scene.challenge(for: "mira", caller: "mira")))
        #expect(await waiting.last?.line()?.hasPrefix("ask ") == true)
      }
      let fourth = try scene.ask(scene.challenge(for: "mira", caller: "mira"))
      #expect(await fourth.line() == "refused")
      #expect(await fourth.line() == nil)
      #expect(fourth.note.withLock { $0 }?.contains("wait already") == true)
      let other = try scene.ask(scene.challenge(for: "ada", caller: "ada"))
      #expect(await other.line()?.hasPrefix("ask ") == true)
      other.module.send("pin \(codes["ada"] ?? "")")
      #expect(await other.line() == "show Sealring: recovery codes that are left: 9")
      #expect(await other.line()?.hasPrefix("approved ") == true)
      // Her place is free when the module has gone.
      waiting[1].end()
      try await eventually("it is noted") { waiting[1].note.withLock { $0 != nil } }
      let next = try scene.ask(scene.challenge(for: "mira", caller: "mira"))
      #expect(await next.line()?.hasPrefix("ask ") == true)
    }

    @Test func `other hosts and accounts take no place of the person's own`() throws {
      let scene = try PAMScene()
      func name(_ caller: String, _ remote: String = "", user: String = "mira") throws -> String {
        PAMPlaces.name(
          try PAMRequest(
            parsing: Array((scene.challenge(for: user, caller: caller, remote: remote)).utf8)))
      }
      let own = try name("mira")
      #expect(try name("") == own && name("root") == own)
      let others = [
        try name("mira", "203.0.113.7"), try name("babs"), try name("b%2Fabs"), try name("", user: "ada"),
      ]
      #expect(Set(others + [own]).count == 5 && others.allSatisfy { !$0.contains("/") }, "\(others)")
      // Whoever it is that they want to be, they wait in their own.
      #expect(try name("babs", user: "ada") == name("babs"))
    }
  }
#endif
