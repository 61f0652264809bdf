internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingLogger

/// `bind()`: makes a key, signs the server's challenge with it, and replaces the user's earlier key.
///
/// The order of writes, and what a crash between any two of them leaves, is described at ``UserKeysStorage``.
struct BindFlow {
  /// What the server asks for.
  struct Request: Sendable {
    var userID: String
    var username: String
    var challenge: String
    /// `nil` when the server named none that is known.
    var type: DeviceBindingAuthenticationType?
    var attestation: Attestation
  }

  /// What the server is answered.
  struct Answer: Sendable {
    var jws: String
    var deviceID: String
    /// What is left to do when the server has answered; `nil` when the binding is complete.
    var handover: BindingHandover?
  }

  let request: Request
  let dependencies: BindingDependencies
  /// Whether somebody will say what the server answered.
  let isAnswerObserved: Bool

  /// How long an answer is waited for. Seconds; no journey lives longer.
  private static let longestWait: TimeInterval = 3600

  func run() async throws -> Answer {
    let type = try validate()
    let keyStore = try dependencies.keyStore()
    let (authenticator, attestation) = try await prepareAuthenticator(type, keyStore)
    let deviceID = try await dependencies.deviceID()
    await BindingMigration.beforeUse(of: dependencies.config.userKeyStorage, logger: dependencies.logger)
    let keys = KeyRemoval(
      keyStore: keyStore, vault: dependencies.vault(), storage: dependencies.storage,
      logger: dependencies.logger)
    try await keys.removeLeftovers(now: dependencies.config.now())

    let planned = plannedKey(for: authenticator)
    try await dependencies.storage.reserve(
      planned, until: dependencies.config.now() + TimeInterval(dependencies.timeout + 60))
    do {
      let pair = try await register(planned, with: authenticator, keys: keys)
      let key = try await authenticate(pair, with: authenticator)
      let parameters = parameters(pair, key, kid: planned.kid, attestation: attestation)
      let jws = try await sign(parameters, with: authenticator)
      try dependencies.deadline.check()
      let handover = BindingHandover(kid: planned.kid, keys: keys)
      guard isAnswerObserved else {
        try await handover.complete()
        return Answer(jws: jws, deviceID: deviceID)
      }
      try await dependencies.storage.handOver(
        kid: planned.kid, until: dependencies.config.now() + Self.longestWait)
      return Answer(jws: jws, deviceID: deviceID, handover: handover)
    } catch {
      await keys.rollBack(kid: planned.kid)
      throw error
    }
  }

  // MARK: Steps

  private func validate() throws -> DeviceBindingAuthenticationType {
    guard let type = request.type else {
      throw DeviceBindingError.unsupported(
        errorMessage:
          "The server asks for an authentication type that this version does not know. Update the app, or"
          + " choose another type in the device binding node.")
    }
    guard !request.userID.isEmpty, !request.challenge.isEmpty else {
      throw DeviceBindingError.unsupported(
        errorMessage: "The server's device binding callback has no user id or no challenge.")
    }
    return type
  }

  /// What is wanted of the key: by the server, by the app, or because the app insists.
  private var wantedAttestation: Attestation {
    if request.attestation != .none { return request.attestation }
    if dependencies.config.attestation != .none { return dependencies.config.attestation }
    return dependencies.config.requiresAttestation ? .challenge(request.challenge) : .none
  }

  /// What makes the key, after it is known that this device can, and whether the key will be attested.
  private func prepareAuthenticator(
    _ type: DeviceBindingAuthenticationType, _ keyStore: any DeviceKeyStore
  ) async throws -> (any DeviceAuthenticator, Attestation) {
    let wanted = wantedAttestation
    // Asking a chip or a reader takes time as well.
    let prepared = try await dependencies.deadline.run(abandoning: false) {
      Transferred(
        try await dependencies.authenticator(
          type: type, userID: request.userID, keyStore: keyStore, isBinding: true, account: request.username,
          attestation: wanted))
    }
    let authenticator = prepared.value
    try (authenticator as? DefaultDeviceAuthenticator)?.checkSettings()
    if authenticator.isSupported(attestation: wanted) { return (authenticator, wanted) }
    let reason = authenticator.unsupportedError(attestation: wanted)
    guard wanted != .none, !dependencies.config.requiresAttestation,
      authenticator.isSupported(attestation: .none)
    else { throw reason }
    // Most devices have nothing that attests keys. A server that insists refuses the proof; it alone knows.
    dependencies.logger.w(
      "The server asks for a key attestation, and the key is bound without", error: reason)
    return (authenticator, .none)
  }

  /// The description of the key that is about to be made: a fresh key id and a fresh tag, whatever the app calls it.
  private func plannedKey(for authenticator: any DeviceAuthenticator) -> UserKey {
    let prefix = (authenticator as? DefaultDeviceAuthenticator)?.tagPrefix ?? "binding"
    var key = UserKey(
      keyTag: "\(prefix).\(dependencies.config.makeID())", userId: request.userID, username: request.username,
      kid: dependencies.config.makeID(), authType: authenticator.type(), createdAt: dependencies.config.now())
    key.scope = dependencies.scope
    return key
  }

  private func register(
    _ planned: UserKey, with authenticator: any DeviceAuthenticator, keys: KeyRemoval
  ) async throws -> KeyPair {
    (authenticator as? DefaultDeviceAuthenticator)?.reserveTag(planned.keyTag)
    let transferred = Transferred(authenticator)
    let pair = try await dependencies.deadline.run(abandoning: !authenticator.isOurs) {
      try await transferred.value.register()
    } late: { pair in
      await keys.removeUnused(tag: pair.keyTag)
    }
    // An app's authenticator may have chosen a tag of its own.
    if pair.keyTag != planned.keyTag {
      try await dependencies.storage.retag(kid: planned.kid, keyTag: pair.keyTag)
    }
    if let kind = try? await keys.keyStore.kind(ofKey: pair.keyTag) {
      try await dependencies.storage.note(store: kind, kid: planned.kid)
    }
    return pair
  }

  private func authenticate(
    _ pair: KeyPair, with authenticator: any DeviceAuthenticator
  ) async throws -> any DeviceKey {
    let transferred = Transferred(authenticator)
    return try await dependencies.deadline.run(abandoning: !authenticator.isOurs) {
      let opened: Result<any DeviceKey, any Error> = await transferred.value.authenticate(keyTag: pair.keyTag)
      return try opened.get()
    }
  }

  private func parameters(
    _ pair: KeyPair, _ key: any DeviceKey, kid: String, attestation: Attestation
  ) -> SigningParameters {
    let config = dependencies.config
    return SigningParameters(
      keyPair: KeyPair(publicKey: pair.jwk, privateKey: key, keyTag: pair.keyTag), kid: kid,
      userId: request.userID, challenge: request.challenge, issueTime: config.issueTime(),
      notBeforeTime: config.notBeforeTime(), expiration: config.expirationTime(dependencies.timeout),
      attestation: attestation, applicationId: dependencies.applicationID)
  }

  private func sign(
    _ parameters: SigningParameters, with authenticator: any DeviceAuthenticator
  ) async throws -> String {
    if dependencies.config.requiresAttestation, !(parameters.keyPair.deviceKey is any AttestableDeviceKey) {
      throw DeviceBindingError.unsupported(errorMessage: UnsupportedReason.attestation)
    }
    let transferred = Transferred((authenticator, dependencies.journey))
    return try await dependencies.deadline.run(abandoning: !authenticator.isOurs) {
      try await transferred.value.0.proof(parameters, journey: transferred.value.1)
    }
  }
}

extension DeviceAuthenticator {
  /// Whether this is an authenticator of this module, which ends when its task is cancelled.
  package var isOurs: Bool {
    self is NoneAuthenticator || self is AppPinAuthenticator || self is BiometricOnlyAuthenticator
      || self is BiometricDeviceCredentialAuthenticator
  }

  /// Why ``isSupported(attestation:)`` is false.
  func unsupportedError(attestation: Attestation) -> DeviceBindingError {
    (self as? DefaultDeviceAuthenticator)?.unsupportedReason(attestation: attestation)
      .map { .unsupported(errorMessage: $0) } ?? .deviceNotSupported
  }
}
