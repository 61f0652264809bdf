public import Foundation
internal import JourneyEngine
public import JourneyStore
public import KeyAttestation
public import PasswordRules
public import PushService
public import SecurityEvents

/// What nodes work with beyond the journey's own state.
public struct NodeServices: Sendable {
  public var store: any NodeStore
  public var passwords: any PasswordVerifying
  public var clock: @Sendable () -> Date

  /// That many bytes of a cryptographically secure source.
  public var randomBytes: @Sendable (Int) -> [UInt8]
  public var lockout: LockoutPolicy

  /// Tells the devices that an account has used before.
  public var knownDevices: KnownDevices

  /// Verifies attestations of new keys; `nil` when no roots are configured, and then none can pass.
  public var attestation: AttestationVerifier?

  /// What is trusted when authenticators are attested.
  public var webAuthn: WebAuthnTrust

  /// For whom WebAuthn nodes speak that do not say so themselves; asked at each question and answer, because the port is
  /// known only once the server listens.
  public var relyingParty: @Sendable () -> ServerRelyingParty

  /// What is asked for where a name has no WebAuthn credentials.
  public var decoys: DecoyCredentials

  /// Which passwords may be set.
  public var passwordPolicy = PasswordPolicy()

  /// How messages reach push devices.
  public var push: PushSenders

  /// What bounds pushes and guesses of one user.
  public var pushLimits: PushLimits

  /// Receives what whoever answers for security must know.
  public var events = SecurityEvents.none

  /// What whoever changes factors has to have shown.
  public var factorChanges: FactorChangePolicy

  public init(
    store: any NodeStore,
    passwords: any PasswordVerifying, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    lockout: LockoutPolicy = .standard, attestation: AttestationVerifier? = nil,
    webAuthn: WebAuthnTrust = WebAuthnTrust(),
    relyingParty: @escaping @Sendable () -> ServerRelyingParty = { ServerRelyingParty() },
    decoys: DecoyCredentials? = nil, knownDevices: KnownDevices? = nil, push: PushSenders = PushSenders(),
    pushLimits: PushLimits = .standard, factorChanges: FactorChangePolicy = FactorChangePolicy()
  ) {
    self.store = store
    self.passwords = passwords
    self.clock = clock
    self.randomBytes = randomBytes
    self.lockout = lockout
    self.attestation = attestation
    self.webAuthn = webAuthn
    self.relyingParty = relyingParty
    self.decoys = decoys ?? DecoyCredentials(secret: randomBytes(32))
    self.knownDevices = knownDevices ?? KnownDevices(secret: randomBytes(32))
    self.push = push
    self.pushLimits = pushLimits
    self.factorChanges = factorChanges
  }
}

extension NodeServices {
  /// What the service for push devices works with.
  package var pushDevices: PushDeviceService.Dependencies {
    PushDeviceService.Dependencies(
      store: store, senders: push, limits: pushLimits, events: events, clock: clock,
      lock: { lock($0, of: $1) })
  }

  /// Whether the journey may change `user`'s factors now.
  ///
  /// - Throws: a ``NodeRefusal`` that tells the client what to do.
  func factorPermission(
    for user: UserRecord, _ context: NodeContext
  ) async throws -> FactorChangeCheck.Permission {
    try await FactorChangeCheck(policy: factorChanges, store: store, clock: clock)
      .permission(for: user, context)
  }
}

extension DeviceLimit {
  init(_ count: Int, _ permission: FactorChangeCheck.Permission) {
    self.init(count, onlyAsFirstFactor: permission == .onlyAsFirstFactor)
  }
}

/// What nodes read and write of what a server keeps.
public typealias NodeStore = UserStore & BoundDeviceStore & OnceStore & LockoutStore & EvidenceStore
  & ApplicationStore & TransactionStore & PushStore & OathStore & RecoveryCodeStore & WebAuthnStore
  & FactorStore & SessionStore

/// Checks and makes password hashes.
public protocol PasswordVerifying: Sendable {
  /// Whether `password` has the hash. `nil`, the hash of an unknown user, is never right and costs the same time.
  func verify(_ password: String, against hash: String?) async throws -> Bool

  /// The same for a name that may be nobody's: a check without a hash costs what it does for the accounts that there are.
  func verify(_ password: String, against hash: String?, of name: String) async throws -> Bool

  /// The hash under which to store a new password.
  func hash(_ password: String) async throws -> String

  /// Whether a password that matched `hash` should be hashed anew, because hashes cost something else today.
  func needsRehash(_ hash: String) -> Bool
}

extension PasswordVerifying {
  public func verify(_ password: String, against hash: String?, of name: String) async throws -> Bool {
    try await verify(password, against: hash)
  }

  public func needsRehash(_ hash: String) -> Bool { false }
}
