public import Accounts
package import AppIntegrity
internal import Bytes
public import Foundation
internal import JourneyEngine
public import JourneyStore
public import KeyAttestation
internal import MailService
public import PasswordRules
internal import PushFormats
public import PushService
public import SecurityEvents
internal import StrictJSON

/// What nodes work with beyond the journey's own state.
public struct NodeServices: Sendable {
  public var store: any ServerStore
  public var passwords: any PasswordVerifying
  public var clock: @Sendable () -> Date

  /// Returns that many bytes of a cryptographically secure source.
  public var randomBytes: @Sendable (Int) -> [UInt8]
  public var lockout = LockoutPolicy.standard

  /// How long a journey lasts at most. Seconds.
  public var journeyTimeout: TimeInterval = 300

  /// Recognises the devices that an account has used before.
  public var knownDevices: KnownDevices

  /// Verifies attestations of new keys; `nil` when no roots are configured. Then no attestation can pass.
  public var attestation: AttestationVerifier?

  /// Verifies which app a client is; `nil` where no app can be verified.
  package var appIntegrity: AppIntegrityVerifier?

  /// What is trusted when authenticators are attested.
  public var webAuthn = WebAuthnTrust()

  /// The relying party of WebAuthn nodes that name none; asked at each question and answer, because the port is known only
  /// once the server listens.
  public var relyingParty: @Sendable () -> ServerRelyingParty = { ServerRelyingParty() }

  /// Credential ids to send for names without WebAuthn credentials.
  public var decoys: DecoyCredentials

  /// Which passwords may be set.
  public var passwordPolicy = PasswordPolicy()

  /// How messages reach push devices.
  public var push = PushSenders()

  /// Limits on pushes to, and guesses by, one user.
  public var pushLimits = PushLimits.standard

  /// Receives the security events.
  public var events = SecurityEvents.none

  /// What a user must have proven before factors change.
  public var factorChanges = FactorChangePolicy()

  /// Which attributes identities have.
  public var schema = ManagedSchema.standard

  /// What people accept before an account is made.
  public var terms = TermsAndConditions()
  public var securityQuestions = SecurityQuestions.standard

  /// What people are asked to agree to by ConsentNode, in this order.
  public var consentMappings: [ConsentMapping] = []

  /// Receives what journeys measure; by default nothing is kept.
  public var metrics = NodeMetrics.none

  /// Delays answers that may send mail, so that they do not reveal whether they do.
  public var evenAnswer = EvenAnswer.standard

  /// How mail is sent; by default it is not.
  public var mail = NodeMail.none

  /// Cookies by which browsers sign in again.
  public var persistentCookies: PersistentCookies

  /// Replaces the accounts in tests.
  private var otherIdentities: (any ManagedObjects)?

  /// The realm's identities, for nodes, scripts and claims.
  public var identities: any ManagedObjects {
    get { identities(for: .nobody) }
    set { otherIdentities = newValue }
  }

  /// The realm's identities, for changes by `actor`.
  func identities(for actor: AccountActor) -> any ManagedObjects {
    otherIdentities ?? ManagedUsers(self, actor: actor)
  }

  /// The services for other identity providers; `nil` where none can be used.
  public var federation: FederationServices?

  /// Simulated outcomes of services that this server does not ask.
  public var simulation = ServiceSimulation()

  /// What script nodes work with; `nil` where scripts do not run.
  public var scripts: ScriptServices?

  public init(
    store: any ServerStore, passwords: any PasswordVerifying, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8], decoys: DecoyCredentials? = nil,
    knownDevices: KnownDevices? = nil
  ) {
    self.store = store
    self.passwords = passwords
    self.clock = clock
    self.randomBytes = randomBytes
    self.decoys = decoys ?? DecoyCredentials(secret: randomBytes(32))
    self.knownDevices = knownDevices ?? KnownDevices(secret: randomBytes(32))
    let cookieSecret = randomBytes(32)
    persistentCookies = PersistentCookies { [cookieSecret] }
  }
}

extension NodeServices {
  /// What the service for push devices works with.
  package var pushDevices: PushDeviceService.Dependencies {
    PushDeviceService.Dependencies(
      store: store, senders: push, limits: pushLimits, events: events, clock: clock,
      lock: { lock($0, of: $1) })
  }

  /// The service that changes accounts.
  package var accounts: Accounts {
    Accounts(
      store: store, passwords: passwords, policy: passwordPolicy, schema: schema,
      factorChanges: factorChanges, events: events, clock: clock,
      notify: { [mail] notice in notice.message(mail).map { mail.send($0) } })
  }

  /// Whether the journey may add a method by which `user` signs in, or change one, now.
  ///
  /// - Throws: a ``NodeRefusal`` that tells the client what to do.
  func factorPermission(
    for user: UserRecord, to act: AccountAct = .addMethod, _ context: NodeContext
  ) async throws -> FactorChangeCheck.Permission {
    do {
      return try await accounts.permit(act, user.account, by: context.actor).factors
    } catch let refusal as AccountRefusal { throw NodeRefusal(mapping: refusal) }
  }

  /// The user of the journey; `nil` for an unknown name, and for another account that has got the name since the run began.
  ///
  /// - Throws: ``NodeError`` when the journey has named nobody.
  func user(in context: inout NodeContext) async throws -> UserRecord? {
    try await user(named: context.requiredUsername(), in: &context)
  }

  /// Finds the account with the name of the journey's user and notes it: from then on the run is about that account only.
  private func user(named name: String, in context: inout NodeContext) async throws -> UserRecord? {
    guard let user = try await store.user(named: name, realm: context.request.realm) else {
      context.state.noteNoAccount()
      return nil
    }
    guard context.state.accountID.map({ $0 == user.id }) ?? true else {
      context.logReason("the account \(name.quoted) was deleted, and another one has its name")
      return nil
    }
    context.state.noteAccount(user.id)
    return user
  }

  /// The user of the journey, who must exist and be active; the error names the `purpose`.
  func activeUser(in context: inout NodeContext, to purpose: String) async throws -> UserRecord {
    guard let user = try await user(in: &context), user.isActive else {
      throw NodeError("there is no active user \(try context.requiredUsername().quoted) to \(purpose)")
    }
    return user
  }

  /// A new UUID of version 4 (RFC 9562) in lower case.
  func uuid() -> String {
    var bytes = randomBytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return Hexadecimal.uuid(bytes)
  }

  /// A new id of a device, in PingAM's form.
  func deviceUUID(at now: Date) -> String { uuid() + String(now.millisecondsSince1970) }

  func pushMessageID(_ kind: PushMessageID.Kind, at now: Date) -> String {
    PushMessageID(kind, uuid: uuid(), milliseconds: now.millisecondsSince1970).text
  }
}

extension DeviceLimit {
  /// For a device of `user`, and of no other account that has the name when the device is stored.
  init(_ count: Int, _ permission: FactorChangeCheck.Permission, of user: UserRecord) {
    self.init(count, onlyAsFirstFactor: permission == .onlyAsFirstFactor, accountID: user.id)
  }
}
