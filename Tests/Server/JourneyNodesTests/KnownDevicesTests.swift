import Foundation
import JourneyNodes
import JourneyStore
import Testing

@Suite("Known devices") struct KnownDevicesTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let devices = KnownDevices(secret: Array(0..<32))

  private func user(
    _ name: String = "mira", realm: String = "alpha", passwordVersion: Int = 0, id: String = "account"
  ) -> UserRecord {
    UserRecord(
      realm: realm, username: name, createdAt: Self.now, id: id, passwordVersion: passwordVersion)
  }

  private func cookie(
    for user: UserRecord, after cookies: String? = nil, device: UInt8 = 7, at now: Date = now
  ) -> String {
    "sealring-device="
      + devices.value(for: user, cookies: cookies, now: now) { Array(repeating: device, count: $0) }
  }

  @Test func `a device is known to the account that signed in on it, in any spelling, and keeps its id`() {
    let mira = user()
    let first = cookie(for: mira)
    let device = devices.device(of: mira, cookies: first, now: Self.now)
    #expect(device?.isEmpty == false)
    #expect(devices.device(of: user("MIRA"), cookies: "a=b; \(first); c=d", now: Self.now) == device)
    let renewed = cookie(for: mira, after: first, device: 8, at: Self.now + 60)
    #expect(renewed != first)
    #expect(devices.device(of: mira, cookies: renewed, now: Self.now + 60) == device)
    // What a header may not contain is not in it.
    #expect(renewed.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#";,"\\"#.utf8.contains($0) })
  }

  @Test
  func `a token is worth nothing for another account, realm, password or server, or too late, or changed`() {
    let mira = user()
    let cookie = cookie(for: mira)
    for other in [user("otto"), user(realm: "beta"), user(passwordVersion: 1), user(id: "another"), nil] {
      #expect(devices.device(of: other, cookies: cookie, now: Self.now) == nil)
    }
    #expect(KnownDevices(secret: Array(1..<33)).device(of: mira, cookies: cookie, now: Self.now) == nil)
    let end = Self.now + KnownDevices.lifetime
    #expect(devices.device(of: mira, cookies: cookie, now: end - 1) != nil)
    #expect(devices.device(of: mira, cookies: cookie, now: end) == nil)
    for (index, character) in cookie.enumerated().dropFirst("sealring-device=".count) {
      var changed = Array(cookie)
      changed[index] = character == "B" ? "C" : "B"
      #expect(devices.device(of: mira, cookies: String(changed), now: Self.now) == nil)
    }
    for text in [nil, "", "sealring-device=", "sealring-device=..", "sealring-device=a.b.c~~~", "x" + cookie]
    {
      #expect(devices.device(of: mira, cookies: text, now: Self.now) == nil)
    }
  }

  @Test(arguments: ["\u{35C}x", "a b", "\"x\"", "a,b", "\u{1}", "ä", "x.1.y\u{301}"])
  func `what no token has is not set again, and takes nothing away from what is`(foreign: String) {
    let mira = user()
    let renewed = cookie(for: mira, after: "sealring-device=\(foreign)~x.1.y")
    #expect(devices.device(of: mira, cookies: renewed, now: Self.now) != nil)
    #expect(renewed.hasSuffix("~x.1.y"))
    #expect(renewed.utf8.count(where: { $0 == UInt8(ascii: "~") }) == 1)
  }

  @Test func `a browser is known to the last five accounts that used it`() {
    let users = (1...6).map { user("user \($0)") }
    var cookie: String?
    for user in users { cookie = self.cookie(for: user, after: cookie) }
    #expect(devices.device(of: users[0], cookies: cookie, now: Self.now) == nil)
    for user in users.dropFirst() { #expect(devices.device(of: user, cookies: cookie, now: Self.now) != nil) }
    #expect((cookie?.utf8.count ?? 0) < 512)
  }

  @Test func `the cookie's name has the prefix that ties it to the host, where the session's has it`() {
    let bound = KnownDevices(secret: Array(0..<32), isHostOnly: true)
    #expect(bound.cookieName == "__Host-sealring-device")
    #expect(bound.device(of: user(), cookies: cookie(for: user()), now: Self.now) == nil)
    #expect(bound.device(of: user(), cookies: "__Host-" + cookie(for: user()), now: Self.now) != nil)
  }

  @Test func `after the secret is rotated, a cookie is good while the earlier one is accepted, and renewed`()
  {
    let (mira, old, new) = (user(), [UInt8](0..<32), [UInt8](1..<33))
    let cookie = "sealring-device="
    let token = KnownDevices(secret: old).value(
      for: mira, cookies: nil, now: Self.now, randomBytes: { [UInt8](repeating: 1, count: $0) })
    let rotated = KnownDevices(secrets: { [new, old] })
    let device = rotated.device(of: mira, cookies: cookie + token, now: Self.now)
    #expect(device != nil)
    let renewed = rotated.value(
      for: mira, cookies: cookie + token, now: Self.now, randomBytes: { [UInt8](repeating: 2, count: $0) })
    #expect(KnownDevices(secret: new).device(of: mira, cookies: cookie + renewed, now: Self.now) == device)
    #expect(KnownDevices(secret: new).device(of: mira, cookies: cookie + token, now: Self.now) == nil)
    // Without a secret nobody becomes known, and nobody is.
    let none = KnownDevices(secrets: { [] })
    #expect(none.device(of: mira, cookies: cookie + token, now: Self.now) == nil)
    #expect(
      none.value(for: mira, cookies: nil, now: Self.now, randomBytes: { [UInt8](repeating: 2, count: $0) })
        .isEmpty)
  }
}
