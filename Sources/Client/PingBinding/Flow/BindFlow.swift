internal import BindingFormats
internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingLogger

/// `bind()`: makes a key, signs the server's challenge with it, and replaces the user's earlier key.
///
/// The order of writes, and what a crash between any two of them leaves, is described at ``UserKeysStorage``.
struct BindFlow {
  /// The server's request.
  struct Request: Sendable {
    var userID: String
    var username: String
    var challenge: String
    /// `nil` when the server named no known type.
    var type: DeviceBindingAuthenticationType?
    var attestation: Attestation
  }

  /// The answer to the server.
  struct Answer: Sendable {
    var jws: String
    var deviceID: String
    /// The step that follows the server's answer; `nil` when the binding is complete.
    var handover: BindingHandover?
  }

  let request: Request
  let dependencies: BindingDependencies
  /// Whether the flow will learn what the server answered.
  let isAnswerObserved: Bool

  /// How long to wait for the server's answer, in seconds. No journey lives longer.
  private static let longestWait: TimeInterval = 3600

  func run() async throws -> Answer {
    let type = try validate()
    let challenge = Challenge(wire: request.challenge)
    let keyStore = try dependencies.keyStore()
    let (authenticator, attestation) = try await prepareAuthenticator(type, keyStore)
    let deviceID = try await dependencies.deviceID()
    await BindingMigration.beforeUse(of: dependencies.config.userKeyStorage, logger: dependencies.logger)
    // Servers choose this challenge at random. A text in its place is approved here, because no prompt of a new key shows it.
    if let challenge {
      _ = try await Approval(of: challenge, dependencies).ask(account: request.username, isShown: nil)
    }
    let keys = dependencies.removal(from: keyStore)
    try await keys.removeLeftovers(now: dependencies.config.now())

    let planned = plannedKey(for: authenticator, type)
    try await dependencies.storage.reserve(
      planned, until: dependencies.config.now() + TimeInterval(dependencies.timeout + 60))
    do {
      let pair = try await register(planned, with: authenticator, keys: keys)
      if dependencies.config.earlierSDK != nil,
        let state = try await dependencies.biometricDomainState(authenticator, type: planned.authType)
      {
        try await dependencies.storage.note(kid: planned.kid, biometricDomainState: state)
      }
      let key = try await dependencies.openKey(pair.keyTag, with: authenticator)
      let jws = try await sign(pair, key, kid: planned.kid, attestation: attestation, with: authenticator)
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
      await dependencies.tellFailure()
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

  /// The attestation that the server or the app asks for, or that the app requires.
  private var wantedAttestation: Attestation {
    if request.attestation != .none { return request.attestation }
    if dependencies.config.attestation != .none { return dependencies.config.attestation }
    return dependencies.config.requiresAttestation ? .challenge(request.challenge) : .none
  }

  /// Returns the authenticator after checking that this device supports it, and the attestation that its key will have.
  private func prepareAuthenticator(
    _ type: DeviceBindingAuthenticationType, _ keyStore: any DeviceKeyStore
  ) async throws -> (any DeviceAuthenticator, Attestation) {
    let wanted = wantedAttestation
    // The time that a chip or a reader takes to answer counts towards the limit.
    let authenticator = try await dependencies.deadline.run(abandoning: false) {
      Transferred(
        try await dependencies.authenticator(
          type: type, userID: request.userID, keyStore: keyStore, isBinding: true, account: request.username,
          attestation: wanted))
    }.value
    try authenticator.standard?.checkSettings()
    func isSupported(_ attestation: Attestation) async throws -> Bool {
      try await dependencies.ask(authenticator) { $0.isSupported(attestation: attestation) }
    }
    if try await isSupported(wanted) { return (authenticator, wanted) }
    let reason = authenticator.unsupportedError(attestation: wanted)
    guard wanted != .none, !dependencies.config.requiresAttestation, try await isSupported(.none) else {
      throw reason
    }
    // Most devices cannot attest keys. Only the server knows whether it requires an attestation; it then refuses the proof.
    dependencies.logger.w(
      "The server asks for a key attestation, but the key is bound without one", error: reason)
    return (authenticator, .none)
  }

  /// The description of the key to be made: a fresh key id and a fresh tag, whatever prefix the app has set.
  private func plannedKey(
    for authenticator: any DeviceAuthenticator, _ demanded: DeviceBindingAuthenticationType
  ) -> UserKey {
    let prefix = authenticator.standard?.tagPrefix ?? "binding"
    var key = UserKey(
      keyTag: "\(prefix).\(dependencies.config.makeID())", userId: request.userID, username: request.username,
      kid: dependencies.config.makeID(),
      authType: dependencies.config.earlierSDK == nil ? authenticator.type() : demanded,
      createdAt: dependencies.config.now())
    key.scope = dependencies.scope
    return key
  }

  private func register(
    _ planned: UserKey, with authenticator: any DeviceAuthenticator, keys: KeyRemoval
  ) async throws -> KeyPair {
    (authenticator as? DefaultDeviceAuthenticator)?.reserveTag(planned.keyTag)
    let pair = try await dependencies.run(authenticator) {
      try await $0.register()
    } late: { pair in
      await keys.removeUnused(tag: pair.keyTag)
    }
    // An app's authenticator may have chosen another tag.
    let store = try? await keys.keyStore.kind(ofKey: pair.keyTag)
    if pair.keyTag != planned.keyTag || store != nil {
      try await dependencies.storage.note(kid: planned.kid, keyTag: pair.keyTag, store: store)
    }
    return pair
  }

  private func sign(
    _ pair: KeyPair, _ key: any DeviceKey, kid: String, attestation: Attestation,
    with authenticator: any DeviceAuthenticator
  ) async throws -> String {
    let config = dependencies.config
    if config.requiresAttestation, !(key is any AttestableDeviceKey) {
      throw DeviceBindingError.unsupported(errorMessage: UnsupportedReason.attestation)
    }
    let parameters = SigningParameters(
      keyPair: KeyPair(publicKey: pair.jwk, privateKey: key, keyTag: pair.keyTag), kid: kid,
      userId: request.userID, challenge: request.challenge, issueTime: config.issueTime(),
      notBeforeTime: config.notBeforeTime(), expiration: config.expirationTime(dependencies.timeout),
      attestation: attestation, applicationId: dependencies.applicationID)
    let journey = dependencies.journey
    return try await dependencies.run(authenticator) { try await $0.proof(parameters, journey: journey) }
  }
}
