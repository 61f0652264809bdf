import Accounts
import BindingFormats
import Foundation
import CommonFixtures
import EvidenceLedger
import StrictJSON
import JourneyStore
import SecurityEvents
import SSHFormats
import Testing

@testable import SSHAuthority

@Suite("What is taken back of SSH certificates") struct RevocationTests {
  @Test func `by serial, account or key, and nothing else`() async throws {
    let world = try await World()
    let (ada, bob, key) = (try await world.session(), try await world.session("bob"), Subject())
    let first = try await world.certify(for: ada)
    let (second, third) = (try await world.certify(key, for: ada), try await world.certify(for: bob))
    let shared = try await world.certify(key, for: bob)
    #expect(try await world.authority.revoked(World.realm).certificates.isEmpty)

    let serial = SSHRevocationTarget.serial(first.contents.serial)
    #expect(try await world.authority.revoke(serial, in: World.realm, by: .operator).total == 1)
    #expect(try await world.authority.revoke(serial, in: World.realm, by: .operator).total == 0)
    #expect(try await world.revokes(first))
    #expect(try await !world.revokes(second))
    #expect(
      try await world.authority.revoke(.account(username: "ADA"), in: World.realm, by: .operator).total == 1)
    #expect(try await world.revokes(second))
    #expect(try await !world.revokes(shared))
    #expect(try await world.authority.revoke(.key(line: key.line), in: World.realm, by: .operator).total == 1)
    #expect(try await world.revokes(shared))
    #expect(try await !world.revokes(third))

    let events = world.events(.sshCertificatesRevoked)
    #expect(events.map { $0.detail["count"] } == [1, 0, 1, 1])
    #expect(events.map(\.account) == [nil, nil, "ADA", nil])
    // Another authority's certificates of the same serials are not meant.
    try await world.authority.create(SSHAuthoritySettings(), of: "beta", by: .operator)
    #expect(try await world.authority.revoked("beta").certificates.isEmpty)
  }

  @Test(arguments: [
    "deactivated", "deleted", "signed out", "password reset", "made an administrator", "others ended",
    "no others were there", "another session ended", "ended by the help desk",
  ])
  func `what ends an account's sessions takes its certificates back, at every door`(what: String) async throws
  {
    let world = try await World()
    let (ada, bob) = (try await world.session(), try await world.session("bob"))
    let (certificate, other) = (try await world.certify(for: ada), try await world.certify(for: bob))
    switch what {
    case "others ended":
      #expect(try await world.accounts.endOtherSessions(of: world.session()) == 1)
    case "no others were there":
      // A stranger has signed out, and has the certificate still.
      #expect(try await world.accounts.end(ada, by: .session(ada)))
      #expect(try await world.accounts.endOtherSessions(of: world.session()) == 0)
      #expect(world.events(.sessionEnded).last?.detail == ["sessions": 0, "certificates": 1])
    case "another session ended":
      #expect(try await world.accounts.end(ada, by: .session(try await world.session())))
    case "ended by the help desk":
      #expect(try await world.accounts.end(ada, by: .session(try await world.session("helen"))))
    case "deleted": _ = try await world.accounts.delete(World.ada, by: .operator)
    case "signed out": try await world.accounts.endSessions(of: World.ada, by: .operator)
    case "made an administrator":
      _ = try await world.accounts.change(.administrator, isGrant: true, of: World.ada, by: .operator)
    default:
      _ = try await world.accounts.change(World.ada, by: .operator) { _ in
        var change = AccountChange()
        if what == "deactivated" { change.isActive = false } else { change.password = "Lkj35-fjJJw9" }
        return change
      }
    }
    #expect(try await world.revokes(certificate))
    #expect(try await !world.revokes(other))
  }

  @Test func `who signs out of a session of their own keeps the certificate until it ends`() async throws {
    let world = try await World()
    let ada = try await world.session()
    let certificate = try await world.certify(for: ada)
    #expect(try await world.accounts.end(ada, by: .session(ada)))
    #expect(try await !world.revokes(certificate))
  }

  /// Certificates of hosts belong to no account: their rows have an empty name.
  @Test(arguments: ["", " ", "a/b", String(repeating: "a", count: 300)])
  func `a name that no account can have takes nothing back, whoever sends it`(name: String) async throws {
    let world = try await World()
    let host = try World.certificate(
      try await world.authority.certifyHost(
        World.hostKey, names: ["host.example"], days: 1, in: World.realm, by: .operator))
    for actor in [
      .operator, .session(try await world.session("helen")), .session(try await world.session("alice")),
    ] as [AccountActor] {
      do {
        _ = try await world.authority.revoke(.account(username: name), in: World.realm, by: actor)
        Issue.record("\(actor) may")
      } catch AccountRefusal.invalid {}
    }
    #expect(try await !world.revokes(host))
    // Nor is a role over accounts one over what belongs to none.
    let nobody = UniversalID(username: name, realm: World.realm)
    await #expect(throws: AccountRefusal.self) {
      try await world.accounts.endSessions(of: nobody, by: .session(try await world.session("helen")))
    }
    #expect(world.events(.sshCertificatesRevoked).isEmpty && world.events(.sessionEnded).isEmpty)
  }

  @Test func `an account that is not there, and a serial number that nobody has, are said`() async throws {
    let world = try await World()
    do {
      _ = try await world.authority.revoke(.account(username: "nobody"), in: World.realm, by: .operator)
      Issue.record("it was not refused")
    } catch AccountRefusal.noSuchUser {}
    let refused = try await refusal {
      _ = try await world.authority.revoke(.serial(1), in: World.realm, by: .operator)
    }
    #expect(refused.kind == .notFound && refused.description.contains("retire"))
    #expect(world.events(.sshCertificatesRevoked).isEmpty)
  }

  @Test func `who may take back what`() async throws {
    let world = try await World()
    let serial = try await world.certify().contents.serial
    var expected: [String: [Bool]] = [
      "ada": [true, false, false], "bob": [false, false, false], "helen": [true, false, false],
      "alice": [true, true, true],
    ]
    for name in expected.keys.sorted() {
      let actor = AccountActor.session(try await world.session(name))
      var allowed: [Bool] = []
      for target in [
        SSHRevocationTarget.account(username: "ada"), .serial(serial), .key(line: Subject().line),
      ] {
        do {
          _ = try await world.authority.revoke(target, in: World.realm, by: actor)
          allowed.append(true)
        } catch is AccountRefusal { allowed.append(false) }
      }
      #expect(allowed == expected.removeValue(forKey: name), "\(name)")
    }
    let elsewhere = AccountActor.session(try await world.session("ada", realm: "root"))
    await #expect(throws: AccountRefusal.self) {
      try await world.authority.revoke(.account(username: "ada"), in: World.realm, by: elsewhere)
    }
  }

  @Test func `an authority's key is retired, not revoked`() async throws {
    let world = try await World()
    let line = try #require(try await world.authority.published(World.realm).hostKeys.first?.line)
    let refused = try await refusal {
      _ = try await world.authority.revoke(.key(line: line), in: World.realm, by: .operator)
    }
    #expect(refused.kind == .invalid)
  }

  @Test func `ended certificates are not listed for long, revoked keys for good`() async throws {
    let world = try await World()
    let key = Subject()
    let certificate = try await world.certify(key)
    _ = try await world.authority.revoke(.key(line: key.line), in: World.realm, by: .operator)
    world.clock.advance(by: 3600)
    try await world.store.removeExpired(now: world.clock.now)
    #expect(try await world.authority.revoked(World.realm).certificates.count == 1)
    world.clock.advance(by: 86_400)
    try await world.store.removeExpired(now: world.clock.now)
    let list = try await world.authority.revoked(World.realm)
    #expect(list.certificates.isEmpty && list.keys == [certificate.contents.key.blob])
  }
}
