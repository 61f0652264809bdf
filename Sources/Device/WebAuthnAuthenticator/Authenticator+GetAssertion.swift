internal import CBOR
internal import DeviceKeys
internal import JOSE
internal import UserVerification
internal import WebAuthnFormats

extension Authenticator {
  /// Signs with a credential (WebAuthn L3 §6.3.3). The signature counter is saved before the signature is made.
  ///
  /// - Throws: ``AuthenticatorError``, `CancellationError`.
  public func getAssertion(
    _ request: GetAssertionRequest, consent: some AuthenticatorConsent
  ) async throws -> AuthenticatorAssertion {
    try await reporting {
      let source = try await chosen(try await candidates(for: request), request, consent)
      let (unlock, isVerified) = try await unlock(source, request)
      // Opened before anything is counted, because the key may be gone. It is not made again.
      let key = try await keyStore.openKey(tag: source.keyTag, unlock: unlock)
      return try await assertion(by: source, key, request.clientDataHash, isVerified: isVerified)
    }
  }

  /// Increases the signature counter and signs with an unlocked key.
  func assertion(
    by source: PublicKeyCredentialSource, _ key: any DeviceKey, _ clientDataHash: [UInt8], isVerified: Bool,
    extensions: CBORMap? = nil
  ) async throws -> AuthenticatorAssertion {
    try Task.checkCancellation()
    var counted = source
    counted.signCount = try await credentials.increaseSignCount(of: source)
    let data = try AuthenticatorData(
      relyingPartyID: source.relyingPartyID,
      flags: isVerified ? [.userPresent, .userVerified] : .userPresent, signCount: counted.signCount,
      extensions: extensions)
    let raw = try await key.signature(for: data.encoded + clientDataHash)
    try Task.checkCancellation()
    return AuthenticatorAssertion(
      source: counted, authenticatorData: data,
      signature: try ECDSASignatureFormat.der(fromRaw: raw, curve: .p256))
  }

  private func candidates(for request: GetAssertionRequest) async throws -> [PublicKeyCredentialSource] {
    let found = try await fitting(request)
    let own = found.filter { request.scope.reaches($0.scope) }
    guard own.isEmpty else { return own }
    let others = Set(found.compactMap(\.scope?.server)).sorted()
    throw AuthenticatorError.notAllowed(
      "This device has no key for \(request.relyingPartyID)"
        + (others.isEmpty ? "." : " and this server; what it has is for \(others.joined(separator: ", "))."))
  }

  private func fitting(_ request: GetAssertionRequest) async throws -> [PublicKeyCredentialSource] {
    var found: [PublicKeyCredentialSource] = []
    if request.allowed.isEmpty {
      found = try await credentials.credentials(relyingPartyID: request.relyingPartyID)
        .filter(\.isDiscoverable)
    } else {
      for id in request.allowed where !found.contains(where: { $0.id == id }) {
        if let source = try await credentials.credential(id, relyingPartyID: request.relyingPartyID) {
          found.append(source)
        }
      }
      found.sort { ($0.createdAt, $0.keyTag) < ($1.createdAt, $1.keyTag) }
    }
    return found
  }

  /// The credential to use. When this returns, the person has consented to its use, or is about to be verified for it. Without either there
  /// is no assertion, because the flag UP would be untrue (step 7).
  private func chosen(
    _ candidates: [PublicKeyCredentialSource], _ request: GetAssertionRequest,
    _ consent: some AuthenticatorConsent
  ) async throws -> PublicKeyCredentialSource {
    if let only = candidates.first, candidates.count == 1 {
      if request.verifiesUser || only.requiresUserVerification { return only }
      let isAgreed = await consent.mayUse(CredentialUse(credential: only, scope: request.scope))
      try Task.checkCancellation()
      guard isAgreed else { throw AuthenticatorError.notAllowed("The use of the key was not agreed to.") }
      return only
    }
    let choice = await consent.choose(among: candidates)
    try Task.checkCancellation()
    guard let choice, let source = candidates.first(where: { $0.id == choice.id }) else {
      throw AuthenticatorError.notAllowed("None of the keys was chosen.")
    }
    return source
  }

  /// What unlocks the key, and whether the person is verified by the time that it signs.
  private func unlock(
    _ source: PublicKeyCredentialSource, _ request: GetAssertionRequest
  ) async throws -> (KeyUnlock, isVerified: Bool) {
    let reason = "Sign in at \(source.relyingPartyID)"
    guard source.requiresUserVerification else {
      if request.verifiesUser { _ = try await verifiers.verify(reason: reason) }
      return (.nothing, request.verifiesUser)
    }
    if keyStore.verifiesPerson { return (.systemPrompt(reason: reason), true) }
    return (try await verifiers.verifyForKey(source.keyTag, reason: reason), true)
  }
}
