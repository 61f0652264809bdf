import BindingFormats
import EvidenceLedger
import Foundation
@testable import JourneyStore
import OATH
import StrictJSON

/// Every act of a store once, one after the other: what a server sends its database for.
enum StoreTour {
  /// Is there when the tour is over.
  static let account = UniversalID.demo

  static func go(through store: any ServerStore) async throws {
    try await accounts(store)
    try await lockouts(store)
    try await sessions(store)
    try await boundDevices(store)
    try await otherDevices(store)
    try await push(store)
    try await transactions(store)
    try await realms(store)
    try await grants(StoredGrants(store), store)
    try await activity(StoredActivity(store))
    try await ssh(StoredSSHAuthorities(store))
    _ = try await store.deleteUser(.other)
    try await store.removeExpired(now: noon)
  }

  private static func accounts(_ store: any ServerStore) async throws {
    for name in ["demo", "other"] { try await store.createUser(.sample(name)) }
    for name in ["root", "second"] {
      var administrator = UserRecord.sample(name, realm: "root")
      administrator.isAdministrator = true
      try await store.createUser(administrator)
    }
    let user = try await store.user(.demo) ?? .sample()
    _ = try await store.users(realm: "alpha", after: "a", limit: 10)
    _ = try await store.use(
      IdentityIndex([IdentityIndex.Attribute("mail"), IdentityIndex.Attribute("badge", isUnique: true)]))
    _ = try await store.user(id: user.id, realm: "alpha")
    for lookup in [
      IdentityLookup.equal(attribute: "mail", value: "a@x.org"), .prefix(attribute: "mail", value: "a"),
    ] {
      _ = try await store.users(lookup, realm: "alpha", after: nil, limit: 10)
    }
    _ = try await store.usersWithRoles(realm: "root", after: nil, limit: 10)
    _ = try await store.renewPasswordHash(of: user, to: "$argon2id$v=19$renewed")
    _ = try await store.passwordHashKinds()
    var change = UserChange(of: user)
    change.mail = ["new@example.com"]
    change.revision = user.revision
    change.password = UserChange.Password(hash: "$argon2id$v=19$new", checkedVersion: user.passwordVersion)
    change.passwordExpiry = .at(noon + 60)
    _ = try await store.updateUser(change)
    _ = try await store.updateUser(change)
    var deactivation = UserChange(of: .sample("second", realm: "root"))
    deactivation.isActive = false
    _ = try await store.updateUser(deactivation)
    for isGrant in [true, false] {
      _ = try await store.changeRole(
        RoleChange(.helpDesk, isGrant: isGrant, username: "demo", realm: "alpha"), by: nil)
    }
    _ = try await store.changeRole(
      RoleChange(.administrator, isGrant: true, username: "demo", realm: "root"), by: nil)
    _ = try await store.secret(named: "a secret") { [1, 2, 3] }
  }

  private static func activity(_ activity: StoredActivity) async throws {
    let way = ActivityCount.edge(journey: "Login", node: "n", outcome: "true")
    let attempt = SignInAttempt(
      realm: "alpha", run: "run", journey: "Login", account: "demo", startedAt: noon, latest: noon,
      state: .failure,
      steps: [SignInAttempt.Step(journey: "Login", node: "n", name: "N", type: "T", outcome: "true")],
      reason: "no")
    let count = ActivityCount(
      realm: "alpha", series: .edges, grain: .hour, period: ActivityCount.Grain.hour.period(of: noon),
      label: way, amount: 1)
    for _ in 0..<2 { try await activity.note([attempt], [count]) }
    _ = try await activity.attempts(of: .demo, limit: 2)
    _ = try await activity.attempts(realm: "alpha", before: noon + 1, limit: 2)
    _ = try await activity.attempt(run: "run", realm: "alpha")
    _ = try await activity.counts(.edges, .hour, realm: "alpha", from: noon - 3600, to: noon + 3600)
    _ = try await activity.edges(journey: "Login", realm: "alpha", since: noon)
    _ = try await activity.deviceCounts(realm: "alpha")
  }

  private static func lockouts(_ store: any ServerStore) async throws {
    for scope in [LockoutScope.passwords, .signatures, LockoutScope(.passwords, device: "phone")] {
      _ = try await store.settleAttempt(of: .demo, scope: scope, isRight: false, policy: .standard, now: noon)
      _ = try await store.settleAttempt(of: .demo, scope: scope, isRight: true, policy: .standard, now: noon)
      _ = try await store.recordFailure(of: .demo, scope: scope, policy: .standard, now: noon)
    }
    _ = try await store.lockout(of: .demo)
    _ = try await store.locks(usernames: ["demo", "other"], realm: "alpha", now: noon)
    _ = try await store.unlock(of: .demo)
  }

  private static func sessions(_ store: any ServerStore) async throws {
    let step = OnceKey(key: [1], expiry: noon + 60)
    _ = try await store.user(.demo, using: step)
    _ = try await store.user(.demo, using: step)
    _ = try await store.consume([2], until: noon + 60)
    for hash in ["aa", "bb"] { try await store.suspendJourney(.sample(hash)) }
    for _ in 1...2 { _ = try await store.resumeJourney(idHash: "aa", realm: "alpha", now: noon) }
    let user = try await store.user(.demo)
    for number in 1...5 as ClosedRange<UInt8> {
      try await store.createSession(.sample(number), with: user.map(PasswordMark.init))
    }
    try await store.replaceSession(
      tokenHash: SessionRecord.sample(5).tokenHash, with: .sample(6), mark: nil, now: noon)
    let token = SessionRecord.sample(1).tokenHash
    _ = try await store.session(tokenHash: token, now: noon)
    _ = try await store.touchSession(tokenHash: token, now: noon + 60)
    _ = try await store.sessions(of: .demo, now: noon)
    // What a session's own account may change.
    let caller = Caller(tokenHash: token, right: .ownAccount, now: noon)
    _ = try await store.unlock(of: .demo, by: caller)
    _ = try await store.session(handle: SessionRecord.sample(2).handle)
    for ending in [.one(token), .others(than: SessionRecord.sample(3).tokenHash), .all] as [EndingSessions] {
      try await store.endSessions(ending, of: .demo, telling: ["app"], now: noon)
    }
  }

  private static func boundDevices(_ store: any ServerStore) async throws {
    func once(_ number: UInt8) -> OnceKey { OnceKey(key: [3, number], expiry: noon + 60) }
    _ = try await store.addBoundDevice(.sample(), limit: 0)
    _ = try await store.addBoundDevice(
      .sample("device-2"), limit: 0, evidence: .sample(.bind, device: "device-2"), once: once(1))
    _ = try await store.boundDevice(uuid: "device-1", of: .demo)
    _ = try await store.signer(uuid: "device-1", of: .demo)
    for number in [2, 2] as [UInt8] {
      _ = try await store.accept(
        AcceptedSignature(evidence: .sample(), once: once(number), forgetsFailures: true))
    }
    _ = try await store.accept(AcceptedSignature(evidence: .sample(device: "none"), once: once(3)))
    _ = try await store.addEvidence(.sample(), once: once(4))
    _ = try await store.evidence(number: 1)
    _ = try await store.evidence(EvidenceQuery(realm: "alpha", username: "demo", before: 100, limit: 10))
    _ = try await store.evidence(
      EvidenceQuery(realm: "alpha", username: "demo", accountID: "id of demo", limit: 10))
    _ = try await store.hasFactors(of: .demo)
    try await all(store.boundDevices, "device-2")
  }

  /// What is done with all kinds of devices.
  private static func all<Record>(_ devices: any DeviceStore<Record>, _ uuid: String) async throws {
    _ = try await devices.all(of: .demo)
    _ = try await devices.rename(uuid, of: .demo, to: "New name")
    _ = try await devices.skipSetting(of: .demo)
    _ = try await devices.set(.notSet, of: .demo)
    _ = try await devices.delete(uuid, of: .demo)
    _ = try await devices.reset(.demo)
  }

  private static func otherDevices(_ store: any ServerStore) async throws {
    _ = try await store.addWebAuthnDevice(
      WebAuthnDeviceRecord(
        uuid: "w1", realm: "alpha", username: "demo", deviceName: "Key", credentialID: [1, 2, 3],
        publicKey: [9], signCount: 1, userHandle: [7], relyingPartyID: "example.com",
        aaguid: "00000000-0000-0000-0000-000000000000", attestationFormat: "none", attestationType: "NONE",
        isBackupEligible: true, isBackedUp: false, isUserVerificationInitialized: false, createdDate: noon,
        lastAccessDate: noon), limit: 2)
    _ = try await store.webAuthnDevice(credentialID: [1, 2, 3], realm: "alpha")
    let use = WebAuthnUse(signCount: 2, isBackedUp: true, isUserVerified: true, date: noon)
    _ = try await store.recordWebAuthnUse(use, credentialID: [1, 2, 3], realm: "alpha")
    _ = try await store.addOathDevice(
      OathDeviceRecord(
        uuid: "o1", realm: "alpha", username: "demo", secret: StoredSecret(Array(0..<20)),
        profile: OATHProfile(factor: .counter), createdDate: noon, lastAccessDate: noon), limit: 1)
    for factor in [5, 5] as [UInt64] {
      _ = try await store.acceptOathCode(
        uuid: "o1", of: .demo, device: nil, factor: factor, drift: 0, now: noon)
    }
    _ = try await store.recordFailure(
      of: .demo, scope: LockoutScope(.authenticatorCodes), policy: .standard, now: noon)
    try await store.setRecoveryCodes([[1], [2]], kind: "OATH", of: .demo)
    _ = try await store.useRecoveryCode([1], kind: "OATH", of: .demo)
    try await all(store.webAuthnDevices, "w1")
    try await all(store.oathDevices, "o1")
  }

  private static func push(_ store: any ServerStore) async throws {
    let tests = PushStoreTests()
    try await store.openPushEnrolment(tests.enrolment())
    _ = try await store.completePushEnrolment(id: "REGISTER:1", device: tests.device(), now: noon)
    _ = try await store.pushDevice(mechanismUID: "m1", realm: "alpha")
    let address = PushAddress(realm: "alpha", mechanismUID: "m1")
    _ = try await store.existingPushDevices(among: [address])
    _ = try await store.refreshPushDevice(
      mechanismUID: "m1", realm: "alpha",
      with: PushDeviceRefresh(
        deviceToken: "new", communicationID: "new", communicationType: "poll", deviceType: "linux",
        deviceName: "Phone", issuedAt: noon + 1))
    _ = try await store.retirePushToken(mechanismUID: "m1", realm: "alpha", token: "new", at: noon + 2)
    for number in 1...3 {
      let question = PushMessageRecord(
        id: "AUTHENTICATE:\(number)", realm: "alpha", username: "demo", kind: .authentication, type: .code,
        challenge: StoredSecret([1, 2]), answer: StoredSecret("042042".utf8), sentAt: noon,
        expiresAt: noon + 120)
      _ = try await store.openPushMessage(
        question, inboxes: [PushInboxItem(messageID: question.id, mechanismUID: "m1", message: "a.b.c")],
        limits: .standard)
    }
    _ = try await store.pushDevicesWithNews(now: noon)
    _ = try await store.pushInbox(mechanismUID: "m1", realm: "alpha", now: noon)
    try await store.notePushFetch(messageIDs: ["AUTHENTICATE:1"], mechanismUID: "m1", realm: "alpha")
    _ = try await store.pushMessage(id: "AUTHENTICATE:1", realm: "alpha")
    _ = try await store.recordWrongPushAnswer(
      id: "AUTHENTICATE:2", realm: "alpha", by: "m1", limits: .standard, now: noon)
    _ = try await store.decidePushMessage(
      id: "AUTHENTICATE:1", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon)
    let use = PushUse(by: .demo, scope: LockoutScope(.pushAnswers), at: noon)
    _ = try await store.usePushMessage(id: "AUTHENTICATE:1", for: use, using: nil)
    _ = try await store.removePushMessage(id: "AUTHENTICATE:2", realm: "alpha")
    _ = try await store.pushDecisions(EvidenceQuery(realm: "alpha", limit: 10))
    _ = try await store.realmCreation("alpha")
    try await all(store.pushDevices, "uuid of m1")
  }

  private static func transactions(_ store: any ServerStore) async throws {
    try await store.createApplication(.sample())
    for id in ["t-1", "t-2"] { try await store.createTransaction(.sample(id)) }
    _ = try await store.transaction(id: "t-1", realm: "alpha")
    let approval = TransactionApproval(username: "demo", keyID: "kid-1", jws: "a.b.c", nonce: [1, 2, 3])
    _ = try await store.decideTransaction(id: "t-1", realm: "alpha", .approved(approval), now: noon)
    _ = try await store.decideTransaction(id: "t-2", realm: "alpha", .refused(reason: "no"), now: noon)
    _ = try await store.application(id: "app-1", realm: "alpha")
    _ = try await store.applications(realm: "alpha")
    _ = try await store.deleteApplication(id: "app-1", realm: "alpha")
  }

  private static func realms(_ store: any ServerStore) async throws {
    try await store.createRealm("beta", at: noon, by: nil)
    _ = try await store.realms()
    _ = try await store.realmsVersion()
    try await store.createUser(.sample("demo", realm: "beta"))
    for isForced in [false, true] {
      _ = try await store.deleteRealm("beta", isForced: isForced, at: noon, by: nil)
    }
  }

  private static func ssh(_ stored: StoredSSHAuthorities) async throws {
    for settings in [["lifetime": 60], ["lifetime": 90]] as [JSONObject] {
      _ = try await stored.set(
        settings, of: "alpha", newKeys: [(.sample(), [1]), (.sample("h1", .host), [2])], at: noon)
    }
    _ = try await stored.authority(of: "alpha")
    try await stored.add(.sample("k0", after: -1), secret: [3], to: "alpha")
    _ = try await stored.keys(of: "alpha")
    _ = try await stored.secret(of: "SHA256:k1")
    let once = OnceKey(key: [9, 9], expiry: noon + 60)
    try await stored.issue(.sample(), evidence: .sample(.certify), once: once, by: nil)
    try await stored.issue(.sample(2, username: nil), evidence: nil, once: nil, by: nil)
    _ = try await stored.standing(of: "SHA256:subject", in: "alpha")
    for revocation in [
      SSHRevocation.serial(1), .account(.demo), .key(fingerprint: "SHA256:subject", publicKey: [4]),
    ] {
      _ = try await stored.revoke(revocation, in: "alpha", at: noon, by: nil)
    }
    _ = try await stored.knows(serial: 1, in: "alpha")
    _ = try await stored.retire("SHA256:k0", of: "alpha", at: noon)
    _ = try await stored.revocations(of: "alpha")
  }

  private static func grants(_ grants: StoredGrants, _ store: any ServerStore) async throws {
    let user = try await store.user(.demo) ?? .sample()
    let session = SessionRecord.sample(1).tokenHash
    try await store.createSession(.sample(1))
    for id in ["1", "2"] { _ = try await grants.openGrant(.sample(id, of: user)) }
    let (key, details) = (GrantKey(account: .demo, id: "1"), GrantDetails(scopes: ["openid"]))
    _ = try await grants.grant(key)
    _ = try await grants.pollGrant(key, notBefore: noon, now: noon)
    _ = try await grants.redeemGrant(key, ticketHash: [7, 7], details: details, refreshHash: [1], now: noon)
    _ = try await grants.rotateGrant(key, oldHash: [1], newHash: [2], now: noon)
    _ = try await grants.rotateGrant(key, oldHash: [2], newHash: [3], details: details, now: noon)
    _ = try await grants.grants(of: .demo, now: noon)
    _ = try await grants.endGrant(GrantKey(account: .demo, id: "2"), now: noon)
    try await store.endSessions(.one(session), of: .demo, telling: ["app"], now: noon)
    _ = try await grants.takeLogoutNotices(limit: 10, now: noon)
    try await grants.removeLogoutNotice(key)
    try await grants.setConsent(["openid"], of: .demo, id: nil, client: "app", now: noon)
    _ = try await grants.consent(of: .demo, client: "app")
  }
}
