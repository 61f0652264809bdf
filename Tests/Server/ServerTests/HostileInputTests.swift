import CommonFixtures
import Concurrency
import HTTPTypes
import JourneyStore
import StrictJSON
import Testing

@Suite("Hostile input") struct HostileInputTests {

  @Test(arguments: 0..<4)
  func `a mangled answer is never a 500, and the server goes on`(seed: UInt64) async throws {
    try await LocalServer.run { server in
      var generator = SeededGenerator(seed: seed)
      let path = "\(LocalServer.alpha)/authenticate"
      for _ in 0..<100 {
        var bytes = LocalServer.reply(to: try await server.start(), "ada", "ada-password").serialized
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let place = Int.random(in: 0..<bytes.count, using: &generator)
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
          case 1: bytes.remove(at: place)
          case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
          default: bytes = Array(bytes.prefix(max(1, place)))
          }
        }
        let answer = try await server.send(.post, path, bytes: bytes)
        #expect([200, 400, 401].contains(answer.status))
        #expect(answer.json.objectValue != nil)
      }
      let token = try await server.signIn("ada")
      #expect(token.isEmpty == false)
      #expect(!server.log.withLock { $0 }.contains { $0.hasPrefix("error") })
    }
  }

  @Test(
    arguments: [
      "a\u{0}b", "\u{0}", "'; DROP TABLE users; --", "%00", "id=ada,ou=user,o=alpha,ou=services,ou=am-config",
      "\u{FFFF}\u{10FFFF}", "\u{202E}ada", "ada\n200 OK", String(repeating: "a", count: 200),
    ])
  func `a strange name signs nobody in and breaks nothing`(name: String) async throws {
    try await LocalServer.run { server in
      let step = try await server.start()
      let body = LocalServer.reply(to: step, name, "guess")
      let answer = try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: body)
      #expect(answer.status == 401)
      #expect(answer.message == "Login failure")
      #expect(!server.log.withLock { $0 }.contains { $0.contains("\n") || $0.contains("\u{0}") })
      _ = try await server.signIn("ada")
    }
  }

  @Test(
    arguments: [
      "/am/json/realms/root/realms/alpha/users/%00", "/am/json/realms/root/realms/alpha/users/a%2Fb",
      "/am/json/realms/root/realms/alpha/users/..", "/am/json/realms/root/realms/alpha/users/%2e%2e",
      "/am/json/realms/root/realms/alpha/users/ada/devices/2fa/binding/%00",
      "/am/json/realms/root/realms/alpha/users/ada/devices/2fa/binding/'%20OR%201=1",
      "/am/json/realms/%00/users/ada", "/am/json/realms/..%2f..%2fetc/users/ada",
      "/am/json/realms/root/realms/alpha/users/id=,ou=user,o=alpha,ou=services,ou=am-config",
      "/am/json/realms/root/realms/alpha/users/id=a%0Ab,ou=user,o=alpha,ou=services,ou=am-config",
    ])
  func `a strange path is refused without a 500`(path: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      for method in [.get, .delete] as [HTTPRequest.Method] {
        let answer = try await server.call(method, path, token: admin)
        #expect((400..<500).contains(answer.status))
        #expect(answer.json.objectValue != nil)
      }
      #expect(try await server.store.user(named: "ada", realm: "alpha") != nil)
    }
  }
}
