internal import Bytes
internal import CBOR
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import WebAuthnFormats

extension Authenticator {
  /// Makes a credential (WebAuthn L3 §6.3.2). It is durable when the call returns; when the call throws, nothing is left of it.
  ///
  /// - Throws: ``AuthenticatorError``, `CancellationError`.
  public func makeCredential(
    _ request: MakeCredentialRequest, consent: some AuthenticatorConsent
  ) async throws -> MadeCredential {
    try await reporting {
      // Keys sign with ES256 only, so the server's order of preference does not matter.
      guard request.algorithms.contains(COSEAlgorithm.es256.rawValue) else {
        throw AuthenticatorError.unsupported(
          "This device supports none of the server's signature algorithms; it signs with ES256 only.")
      }
      try await refuseExcluded(request, consent)
      if request.verifiesUser, try await !canVerifyUser() {
        throw AuthenticatorError.constraint(
          "The server wants the person verified, and this device cannot do that.")
      }
      let now = clock()
      let description = CredentialDescription(
        keyName: keyName(for: request.userDisplayName, at: now), relyingPartyName: request.relyingPartyName,
        relyingPartyID: request.relyingPartyID, userName: request.userName,
        userDisplayName: request.userDisplayName, scope: request.scope)
      guard await consent.mayCreate(description) else {
        try Task.checkCancellation()
        throw AuthenticatorError.declined
      }
      try Task.checkCancellation()
      let newKey = try await verifyForNewKey(request)
      try await removeAbandoned()
      return try await make(
        newSource(for: request, at: now, protection: newKey == nil ? .none : .biometricOrCredential), newKey,
        for: request)
    }
  }

  /// The source of a credential that is about to be made.
  func newSource(
    for request: MakeCredentialRequest, at now: Date, protection: KeyProtection
  ) -> PublicKeyCredentialSource {
    let id = randomBytes(16)
    return PublicKeyCredentialSource(
      id: id, relyingPartyID: request.relyingPartyID,
      userHandle: request.requiresResidentKey ? request.userHandle : nil, userName: request.userName,
      otherUI: keyName(for: request.userDisplayName, at: now), algorithm: .es256, signCount: 0,
      createdAt: now.roundedToMilliseconds,
      keyTag: PublicKeyCredentialSource.keyTagPrefix + Base64URL.encode(id),
      protection: protection, scope: request.scope)
  }

  /// Refuses to make a credential when the device has an excluded one (step 3). Either answer ends the operation; the two differ in what
  /// the relying party learns.
  private func refuseExcluded(
    _ request: MakeCredentialRequest, _ consent: some AuthenticatorConsent
  ) async throws {
    for id in request.excluded {
      guard let found = try await credentials.credential(id, relyingPartyID: request.relyingPartyID),
        request.scope.reaches(found.scope)
      else { continue }
      let consented = await consent.mayRevealExcludedCredential()
      try Task.checkCancellation()
      throw AuthenticatorError.excluded(consented: consented)
    }
  }

  /// Verifies the person, if that is asked for; a store that verifies by itself does so when the new key first signs.
  private func verifyForNewKey(_ request: MakeCredentialRequest) async throws -> UserVerifiers.NewKey? {
    guard request.verifiesUser else { return nil }
    let reason = "Register a key at \(request.relyingPartyName)"
    guard !keyStore.verifiesPerson else {
      return UserVerifiers.NewKey(unlock: .systemPrompt(reason: reason)) { _ in }
    }
    return try await verifiers.verifyForNewKey(reason: reason)
  }

  func make(
    _ source: PublicKeyCredentialSource, _ newKey: UserVerifiers.NewKey?, for request: MakeCredentialRequest,
    extensions: CBORMap? = nil
  ) async throws -> MadeCredential {
    try await credentials.reserve(source, until: clock() + Self.reservation)
    do {
      let key = try await keyStore.createKey(
        tag: source.keyTag, protection: source.protection, unlock: newKey?.unlock ?? .nothing)
      try newKey?.keep(source.keyTag)
      let object = try await attestationObject(for: source, key, request, extensions)
      try Task.checkCancellation()
      try await credentials.activate(source)
      // A caller that is cancelled before this check takes no answer. Afterwards it gets one.
      try Task.checkCancellation()
      return MadeCredential(source: source, attestationObject: object)
    } catch {
      // A failed removal leaves the record, and making the next credential removes the rest.
      try? await shielded { try await delete(source) }
      throw error
    }
  }

  private func attestationObject(
    for source: PublicKeyCredentialSource, _ key: any DeviceKey, _ request: MakeCredentialRequest,
    _ extensions: CBORMap?
  ) async throws -> AttestationObject {
    guard case .p256(let x, let y) = key.publicKey.material else {
      throw DeviceKeyError.unsupported("The key store made a key that is not on P-256.")
    }
    let data = try AuthenticatorData(
      relyingPartyID: source.relyingPartyID,
      flags: request.verifiesUser ? [.userPresent, .userVerified] : .userPresent, signCount: 0,
      attestedCredential: AttestedCredential(
        aaguid: .zero, id: source.id,
        publicKey: COSEKey(.ec(.p256, x: x, y: y), algorithm: .es256)), extensions: extensions)
    let toBeSigned = data.encoded + request.clientDataHash
    switch request.attestation {
    case .none:
      // A store that verifies does so when the key is used; without a use, the flag UV would be an empty claim.
      if source.requiresUserVerification, keyStore.verifiesPerson {
        _ = try await key.signature(for: toBeSigned)
      }
      return .none(data)
    case .direct:
      if let evidence = try await evidence(for: key, toBeSigned: toBeSigned) {
        return try .tpm(data, evidence: evidence)
      }
      return .packedSelf(
        data, algorithm: .es256,
        signature: try ECDSASignatureFormat.der(
          fromRaw: try await key.signature(for: toBeSigned), curve: .p256))
    }
  }

  /// The hardware's attestation of the key; `nil` when there is no hardware, or when relying parties would refuse the attestation.
  private func evidence(
    for key: any DeviceKey, toBeSigned: [UInt8]
  ) async throws -> KeyAttestationEvidence? {
    guard let key = key as? any AttestableDeviceKey,
      case .available = await keyStore.attestationAvailability()
    else { return nil }
    // More than 32 bytes, so that the hardware attests their SHA-256, as §8.3 requires.
    let evidence = try await key.attestation(challenge: toBeSigned)
    return evidence.suitsWebAuthn ? evidence : nil
  }

  /// `<display name> (<date and time>)`.
  private func keyName(for displayName: String, at time: Date) -> String {
    "\(displayName) (\(DateFormatter(fixed: "yyyyMMdd HH:mm:ss", in: timeZone).string(from: time)))"
  }
}

/// Runs `body` to its end even when the task is cancelled.
func shielded(_ body: @escaping @Sendable () async throws -> Void) async throws {
  try await Task { try await body() }.value
}
