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
      let source = try await chosen(try await candidates(for: request), consent)
      let (unlock, isVerified) = try await unlock(source, request)
      // A key that is gone is found out before anything is counted. It is not made again.
      let key = try await keyStore.openKey(tag: source.keyTag, unlock: unlock)
      try Task.checkCancellation()
      var counted = source
      counted.signCount = try await credentials.increaseSignCount(of: source)
      let data = try AuthenticatorData(
        relyingPartyID: source.relyingPartyID,
        flags: isVerified ? [.userPresent, .userVerified] : .userPresent, signCount: counted.signCount)
      let raw = try await key.signature(for: data.encoded + request.clientDataHash)
      return AuthenticatorAssertion(
        source: counted, authenticatorData: data,
        signature: try ECDSASignatureDER.der(fromRaw: raw, curve: .p256))
    }
  }

  private func candidates(for request: GetAssertionRequest) async throws -> [PublicKeyCredentialSource] {
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
    guard !found.isEmpty else {
      throw AuthenticatorError.notAllowed("This device has no key for \(request.relyingPartyID).")
    }
    return found
  }

  private func chosen(
    _ candidates: [PublicKeyCredentialSource], _ consent: some AuthenticatorConsent
  ) async throws -> PublicKeyCredentialSource {
    if let only = candidates.first, candidates.count == 1 { return only }
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
