import Accounts
import BindingFormats
import Foundation
import CommonFixtures
import EvidenceLedger
import JourneyStore
import SecurityEvents
import SSHFormats
import StrictJSON
import Testing

@testable import SSHAuthority

@Suite("Authorities for SSH, their keys and hosts") struct AuthorityTests {
  @Test func `a new key signs, the one before is accepted until it is retired, and then revoked`()
    async throws
  {
    let world = try await World()
    let before = try await world.certify()
    let old = try #require(try await world.authority.published(World.realm).userKeys.first)
    let new = try await world.authority.rotate(.user, of: World.realm, by: .operator)
    let after = try await world.certify()
    #expect(after.authority.fingerprint == new && before.authority.fingerprint == old.fingerprint)
    var published = try await world.authority.published(World.realm)
    #expect(published.userKeys.map(\.fingerprint) == [new, old.fingerprint])
    #expect(published.hostKeys.count == 1)
    #expect(try await !world.revokes(before))
    #expect(
      try await refusal { try await world.authority.retire(new, of: World.realm, by: .operator) }.kind
        == .notFound)

    try await world.authority.retire(old.fingerprint, of: World.realm, by: .operator)
    published = try await world.authority.published(World.realm)
    #expect(published.userKeys.map(\.fingerprint) == [new])
    #expect(try await world.revokes(before))
    #expect(try await !world.revokes(after))
    #expect(try await world.authority.stored.secret(of: old.fingerprint) == nil)
    #expect(
      world.events(.sshAuthorityChanged).map { $0.detail["change"] } == ["rotated", "retired"])
  }

  @Test func `the private keys are sealed in the database`() async throws {
    let world = try await World()
    let key = try #require(try await world.authority.published(World.realm).userKeys.first)
    let secret = try #require(try await world.authority.stored.secret(of: key.fingerprint))
    let sealed = try #require(
      try await world.store.read(ServerKeySQL.sealedSecret("ssh authority key \(key.fingerprint)")))
    #expect(sealed.count > secret.count && !sealed.contains(secret))
  }

  @Test func `new rules of an authority change no key, and it is made once`() async throws {
    let world = try await World()
    let before = try await world.authority.published(World.realm)
    let settings = try await world.authority.change(World.realm, by: .operator) {
      ($0.journey, $0.authLevel, $0.lifetime) = ("Strong", 2, 60)
    }
    #expect(
      try await refusal {
        try await world.authority.create(SSHAuthoritySettings(), of: World.realm, by: .operator)
      } == .authorityExists)
    let after = try await world.authority.published(World.realm)
    #expect(after.settings == settings && settings.journey == "Strong" && settings.lifetime == 60)
    #expect(after.userKeys.map(\.line) == before.userKeys.map(\.line))
    #expect(after.hostKeys.map(\.line) == before.hostKeys.map(\.line))
  }

  @Test func `of two operators who change the rules at once neither undoes what the other did`() async throws
  {
    let world = try await World()
    let refused = try await refusal {
      _ = try await world.authority.change(World.realm, by: .operator) {
        _ = try await world.authority.change(World.realm, by: .operator) { $0.isAttested = true }
        $0.lifetime = 60
      }
    }
    #expect(refused.kind == .conflict)
    let settings = try await world.authority.published(World.realm).settings
    #expect(settings.isAttested && settings.lifetime == SSHAuthoritySettings().lifetime)
    #expect(world.events(.sshAuthorityChanged).count == 1)
  }

  @Test func `a realm without an authority has nothing`() async throws {
    let world = try await World()
    for body in [
      { _ = try await world.authority.published("root") },
      { _ = try await world.authority.revoked("root") },
      { _ = try await world.authority.rotate(.user, of: "root", by: .operator) },
    ] as [() async throws -> Void] {
      #expect(try await refusal(body) == .noAuthority)
    }
  }

  @Test
  func `a deleted realm takes its authority along, and another of its name takes back what that signed`()
    async throws
  {
    let world = try await World()
    try await world.store.createRealm("beta", at: world.clock.now, by: nil)
    try await world.authority.create(SSHAuthoritySettings(), of: "beta", by: .operator)
    let old = try #require(try await world.authority.published("beta").userKeys.first)
    _ = try await world.store.deleteRealm("beta", isForced: true, at: world.clock.now, by: nil)
    #expect(try await refusal { _ = try await world.authority.published("beta") } == .noAuthority)
    #expect(try await world.authority.stored.secret(of: old.fingerprint) == nil)
    await #expect(throws: StoreError.self) {
      try await world.authority.create(SSHAuthoritySettings(), of: "beta", by: .operator)
    }
    try await world.store.createRealm("beta", at: world.clock.now, by: nil)
    try await world.authority.create(SSHAuthoritySettings(), of: "beta", by: .operator)
    #expect(try await world.authority.revoked("beta").keys.count == 2)
    #expect(try await world.authority.published("beta").userKeys.count == 1)
  }

  @Test(
    arguments: [
      (["authLevel": -1], "authLevel"), (["authLevel": "2"], "authLevel"), (["lifetime": 0], "lifetime"),
      (["lifetime": 86_401], "lifetime"), (["principals": []], "principals"),
      (["extensions": ["no-touch-required"]], "extensions"), (["attest": true], "attest"),
    ] as [(JSONObject, String)])
  func `settings that mean nothing are refused by name`(json: JSONObject, member: String) {
    let fault = #expect(throws: JSONFault.self) { try SSHAuthoritySettings(json) }
    #expect(fault?.path == member)
  }

  // MARK: Hosts

  private func certifyHost(
    _ world: World, _ line: String = Subject().line, names: [String] = ["host.example", "10.0.0.1"],
    days: Int = 90, by actor: AccountActor = .operator
  ) async throws -> SSHCertificate {
    try World.certificate(
      try await world.authority.certifyHost(line, names: names, days: days, in: World.realm, by: actor))
  }

  @Test func `an administrator gets a host's certificate, by the hosts' key, with an entry of their own`()
    async throws
  {
    let world = try await World()
    let alice = AccountActor.session(try await world.session("alice"))
    let certificate = try await certifyHost(world, by: alice)
    #expect(certificate.contents.kind == .host && certificate.contents.extensions.isEmpty)
    #expect(certificate.contents.principals == ["host.example", "10.0.0.1"])
    #expect(certificate.contents.validity.upperBound == 1_800_000_000 + 90 * 86_400)
    let published = try await world.authority.published(World.realm)
    #expect(certificate.authority.fingerprint == published.hostKeys.first?.fingerprint)
    let event = try #require(world.events(.sshCertificateIssued).first)
    #expect(event.actor == "alice@alpha" && event.account == nil)
    let entry = try #require(try await world.store.evidence(number: 1))
    #expect(entry.record.username == "alice")
    try entry.verifySignature()
    // It is nobody's sign-in.
    #expect(
      try await world.authority.revoke(.account(username: "alice"), in: World.realm, by: .operator).total
        == 0)
    let count = try await world.authority.revoke(
      .serial(certificate.contents.serial), in: World.realm, by: .operator)
    #expect(count.hosts == 1 && count.users == 0)
    #expect(try await world.revokes(certificate))
  }

  @Test func `nobody else gets one`() async throws {
    let world = try await World(factors: .fresh)
    for (name, realm) in [("ada", "alpha"), ("helen", "alpha"), ("ada", "root")] {
      let actor = AccountActor.session(try await world.session(name, realm: realm, level: 9))
      await #expect(throws: AccountRefusal.self) { _ = try await certifyHost(world, by: actor) }
    }
    let old = AccountActor.session(try await world.session("amAdmin", realm: "root"))
    world.clock.advance(by: 3000)
    await #expect(throws: AccountRefusal.self) { _ = try await certifyHost(world, by: old) }
    _ = try await certifyHost(
      world, by: .session(try await world.session("amAdmin", realm: "root")))
  }

  @Test(arguments: [
    ["*"], ["*.example"], ["a,b"], ["Host"], ["-host"], ["a b"], [""], [], ["host\nb"],
    Array(repeating: "host", count: 65),
  ])
  func `a host's names are plain`(names: [String]) async throws {
    let world = try await World()
    #expect(try await refusal { _ = try await certifyHost(world, names: names) }.kind == .invalid)
  }

  @Test func `a host's certificate lasts at most as long as it may, and is for a key that sshd makes`()
    async throws
  {
    let world = try await World()
    for days in [0, -1, 826] {
      #expect(try await refusal { _ = try await certifyHost(world, days: days) }.kind == .invalid)
    }
    #expect(
      try await refusal { _ = try await certifyHost(world, Subject().securityKeyLine) }.kind == .invalid)
    _ = try await certifyHost(
      world, World.hostKey)
  }
}
