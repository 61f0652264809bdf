internal import Bytes
internal import Concurrency
internal import Foundation
internal import PingCommons
internal import PingLogger
internal import PushFormats

extension PushClient {
  /// Registers this device with the server of an enrolment address, and stores the credential.
  ///
  /// A device that fetches its messages itself needs no token of a push service.
  /// - Throws: ``PushError/invalidUri(_:)``, ``PushError/policyViolation(_:)``, ``PushError/deviceTokenNotSet``,
  ///   ``PushError/duplicateCredential(issuer:accountName:)``, all before anything is sent;
  ///   ``PushError/networkFailure(_:_:)`` and ``PushError/registrationFailed(_:)``, with nothing stored.
  @discardableResult
  public func addCredentialFromUri(_ uri: String) async throws -> PushCredential {
    try await gate.run {
      let uri = uri.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !uri.isEmpty else { throw PushError.invalidUri("It is empty.") }
      let enrolment = try PushUriParser.enrolment(uri)
      if !enrolment.ignoredParameters.isEmpty {
        logger.w(
          "Parameters of the address were left out: \(enrolment.ignoredParameters.joined(separator: ", "))")
      }
      for url in [enrolment.registrationURL, enrolment.authenticationURL] where !allowsUnencryptedServers {
        guard url.isConfidential else {
          throw PushError.invalidUri("The server \(url.host) is not reached by https.")
        }
      }
      var credential = PushUriParser.credential(of: enrolment, now: dependencies.now())
      return try await registering.withLock { try await register(&credential, enrolment) }
    }
  }

  private func register(
    _ credential: inout PushCredential, _ enrolment: PushEnrolmentURI
  ) async throws -> PushCredential {
    let policies = await evaluator.evaluate(credentialPolicies: credential.policies)
    if let name = policies.nonCompliancePolicyName { throw PushError.policyViolation(name) }
    let token = try await deviceTokenForRegistration()
    var parameters: [String: Any] = try PushUriParser.registrationParameters(of: enrolment)
    let handler = try handler(for: credential.platform)
    // Before anything is sent, so that the server never registers a device that is refused here.
    try await refuseDuplicate(of: credential)
    parameters[ParameterKey.deviceId] = token
    parameters[ParameterKey.deviceName] = await device.shownName()
    guard try await handler.register(credential: credential, params: parameters) else {
      throw PushError.registrationFailed("the handler did not register it")
    }
    credential.confirmedDeviceToken = token
    let registered = credential
    try await turns.withLock("credential \(registered.id)") {
      try await store(registered, or: "the credential was registered with the server but not stored")
    }
    delivery.credentialsChanged()
    logger.i("Push credential \(registered.id) was added")
    return registered
  }

  private func deviceTokenForRegistration() async throws -> String {
    if let token = try await storedDeviceToken(), !token.isEmpty { return token }
    guard device.isDirect else { throw PushError.deviceTokenNotSet }
    // No push service uses this token, but servers need one to tell devices apart.
    let token = dependencies.randomBytes(32).hexadecimal
    try await store(deviceToken: token)
    return token
  }

  private func refuseDuplicate(of credential: PushCredential) async throws {
    let other = try await storing("the credentials were not read") {
      try await storage.getCredentialByIssuerAndAccount(
        issuer: credential.issuer, accountName: credential.accountName)
    }
    guard let other, other.id != credential.id else { return }
    throw PushError.duplicateCredential(issuer: credential.issuer, accountName: credential.accountName)
  }

  /// Stores a credential, new or changed, locked or unlocked as its policies say.
  ///
  /// - Returns: The credential as stored.
  /// - Throws: ``PushError/duplicateCredential(issuer:accountName:)``, ``PushError/storageFailure(_:_:)``
  @discardableResult
  public func saveCredential(_ credential: PushCredential) async throws -> PushCredential {
    try await gate.run {
      try await registering.withLock {
        try await refuseDuplicate(of: credential)
        var credential = credential
        _ = await evaluator.apply(to: &credential, logger: logger)
        let saved = credential
        try await turns.withLock("credential \(saved.id)") { try await store(saved) }
        delivery.credentialsChanged()
        return saved
      }
    }
  }

  /// All credentials, locked or unlocked as their policies say now.
  public func getCredentials() async throws -> [PushCredential] {
    try await gate.run { try await allCredentials() }
  }

  /// The credential of that id, locked or unlocked as its policies say now.
  public func getCredential(credentialId: String) async throws -> PushCredential? {
    try await gate.run { try await credential(credentialId) }
  }

  /// The same as ``getCredential(credentialId:)``.
  public func getCredential(_ credentialId: String) async throws -> PushCredential? {
    try await getCredential(credentialId: credentialId)
  }

  /// Removes a credential and its notifications from this device; `false` when there was none. The server is not told: the
  /// user removes the device there.
  @discardableResult
  public func deleteCredential(credentialId: String) async throws -> Bool {
    try await gate.run {
      let wasThere = try await turns.withLock("credential \(credentialId)") {
        cache?.withLock { $0[credentialId] = nil }
        return try await storing("the credential was not removed") {
          try await storage.removePushCredential(credentialId: credentialId)
        }
      }
      delivery.credentialsChanged()
      _ = try await storing("the credential was removed but its notifications were not") {
        try await storage.removePushNotificationsForCredential(credentialId: credentialId)
      }
      return wasThere
    }
  }

  /// The same as ``deleteCredential(credentialId:)``.
  @discardableResult
  public func deleteCredential(_ credentialId: String) async throws -> Bool {
    try await deleteCredential(credentialId: credentialId)
  }
}

extension PushClient {
  func allCredentials() async throws -> [PushCredential] {
    // The cache may hold only some of the credentials.
    let stored = try await storing("the credentials were not read") {
      try await storage.getAllPushCredentials()
    }
    var credentials: [PushCredential] = []
    for credential in stored { credentials.append(try await judged(credential)) }
    return credentials
  }

  func credential(_ id: String) async throws -> PushCredential? {
    if let cached = cache?.withLock({ $0[id] }) { return try await judged(cached) }
    // In turn with changes and deletions, so that nothing read before one of them is kept after it.
    let read = try await turns.withLock("credential \(id)") {
      let stored = try await stored(credential: id)
      if let stored { keep(stored) }
      return stored
    }
    guard let read else { return nil }
    return try await judged(read)
  }

  /// Changes the stored credential of that id, if there still is one, while no other task of this client changes it.
  func update(_ id: String, _ change: @Sendable (inout PushCredential) -> Void) async throws {
    try await turns.withLock("credential \(id)") {
      guard var credential = try await stored(credential: id) else { return }
      change(&credential)
      try await store(credential)
    }
  }

  private func store(_ credential: PushCredential, or failure: String? = nil) async throws {
    try await storing(failure ?? "the credential \(credential.id) was not stored") {
      try await storage.storePushCredential(credential)
    }
    keep(credential)
  }

  /// Keeps a credential in memory. Called in the credential's turn only.
  private func keep(_ credential: PushCredential) { cache?.withLock { $0[credential.id] = credential } }

  private func stored(credential id: String) async throws -> PushCredential? {
    try await storing("the credential was not read") {
      try await storage.retrievePushCredential(credentialId: id)
    }
  }

  /// The credential, locked or unlocked as its policies say now; a change is stored. Policies are evaluated at every use,
  /// cached or not, because the result may change.
  private func judged(_ credential: PushCredential) async throws -> PushCredential {
    var credential = credential
    if await evaluator.apply(to: &credential, logger: logger) {
      let (isLocked, policy) = (credential.isLocked, credential.lockingPolicy)
      try await update(credential.id) { ($0.isLocked, $0.lockingPolicy) = (isLocked, policy) }
    }
    return credential
  }
}
