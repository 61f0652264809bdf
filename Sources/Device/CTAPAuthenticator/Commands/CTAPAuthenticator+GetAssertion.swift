internal import CBOR
internal import Crypto
internal import CTAP
internal import JOSE
internal import WebAuthnAuthenticator
internal import WebAuthnFormats

/// Further credentials that were found and agreed to together with the one that signed.
struct NextAssertions {
  var rest: [PublicKeyCredentialSource]
  let request: CTAPGetAssertion
  let isVerified: Bool
}

extension CTAPAuthenticator {
  /// CTAP 2.1 §6.2.2.
  func getAssertion(_ request: CTAPGetAssertion, on channel: UInt32) async throws -> CBORMap {
    try await answerSelection(request.authorization)
    guard request.options.residentKey == nil else { throw CTAPStatus.unsupportedOption }
    try refuseLargeBlobs(request.extensions)
    let id = request.relyingPartyID
    let proved = try isVerified(
      request.authorization, request.clientDataHash, for: .getAssertion, relyingPartyID: id)
    let verifiesHere = try await verifiesHere(request.options, isProved: proved)
    guard request.options.presence != false else {
      guard request.secret == nil, !verifiesHere else { throw CTAPStatus.unsupportedOption }
      return try await silent(request, isVerified: proved)
    }
    let isVerified = proved || verifiesHere
    let found = try await fitting(request, isVerified: isVerified)
    guard let first = found.first else {
      // Asks anyway: before the person is verified, a program must not learn whether a passkey that requires verification exists.
      if verifiesHere {
        try await agree(
          SecurityKeyQuestion(.signIn, relyingParty: id, account: Self.anyAccount), verifying: true)
      }
      throw CTAPStatus.noCredentials
    }
    if token?.provesPresence(for: .getAssertion, at: elapsed()) != true || !proved {
      try await agree(
        SecurityKeyQuestion(
          .signIn, relyingParty: id,
          account: found.count == 1 ? first.userName : "one of \(found.count), chosen by the program"),
        verifying: verifiesHere)
    }
    token?.spend()
    var reply = try await assertion(
      by: first, request, isVerified: isVerified, namesAccount: isVerified && found.count > 1)
    if found.count > 1 {
      reply[5] = CBORValue(found.count)
      remember(
        .assertions(NextAssertions(rest: Array(found.dropFirst()), request: request, isVerified: isVerified)),
        on: channel)
    }
    return reply
  }

  /// §6.3.
  func nextAssertion(_ known: Pending.Rest?, on channel: UInt32) async throws -> CBORMap {
    guard case .assertions(var next)? = known, !next.rest.isEmpty else { throw CTAPStatus.notAllowed }
    let source = next.rest.removeFirst()
    let reply = try await assertion(
      by: source, next.request, isVerified: next.isVerified, namesAccount: next.isVerified)
    remember(.assertions(next), on: channel)
    return reply
  }

  /// The credentials that fit the request, newest first; at most one when the request lists credentials.
  private func fitting(
    _ request: CTAPGetAssertion, isVerified: Bool
  ) async throws -> [PublicKeyCredentialSource] {
    if let allowed = request.allowed, !allowed.isEmpty {
      let found = try await first(
        of: allowed, relyingPartyID: request.relyingPartyID, isVerified: isVerified)
      return found.map { [$0] } ?? []
    }
    return try await kept(relyingPartyID: request.relyingPartyID)
      .filter { isVerified || $0.roaming?.protection == .optional }.reversed()
  }

  private func assertion(
    by source: PublicKeyCredentialSource, _ request: CTAPGetAssertion, isVerified: Bool, namesAccount: Bool
  ) async throws -> CBORMap {
    var extensions: CBORMap?
    if let secret = request.secret, let own = source.roaming?.secrets {
      extensions = ["hmac-secret": .bytes(try await pseudoRandom(secret, own, isVerified: isVerified))]
    }
    let made = try await authenticator.roamingAssertion(
      by: source, clientDataHash: request.clientDataHash, isVerified: isVerified, extensions: extensions)
    log("Signed for \(source.relyingPartyID) with passkey \(source.credentialID).")
    var reply = Self.reply(source, made.authenticatorData, made.signature)
    if source.isDiscoverable { reply[4] = .map(source.entity(namesAccount: namesAccount)) }
    return reply
  }

  /// The reply to a platform that only checks whether a credential of a list exists (`up` is false). It names the credential, not the
  /// account. Nobody was asked, so the credential's key signs nothing: the signature is made by a key that is thrown away.
  private func silent(_ request: CTAPGetAssertion, isVerified: Bool) async throws -> CBORMap {
    guard request.allowed?.isEmpty == false,
      let source = try await fitting(request, isVerified: isVerified).first
    else { throw CTAPStatus.noCredentials }
    let data = try AuthenticatorData(
      relyingPartyID: source.relyingPartyID, flags: [], signCount: source.signCount)
    let signature = try P256.Signing.PrivateKey().signature(for: data.encoded + request.clientDataHash)
    return Self.reply(source, data, Array(signature.derRepresentation))
  }

  private static func reply(
    _ source: PublicKeyCredentialSource, _ data: AuthenticatorData, _ signature: [UInt8]
  ) -> CBORMap {
    [1: ["id": .bytes(source.id), "type": "public-key"], 2: .bytes(data.encoded), 3: .bytes(signature)]
  }

  /// The outputs of `hmac-secret` (§12.5).
  private func pseudoRandom(
    _ request: CTAPSecretRequest, _ secrets: PseudoRandomSecrets, isVerified: Bool
  ) async throws -> [UInt8] {
    guard let version = PINProtocol(rawValue: request.version) else { throw CTAPStatus.invalidParameter }
    let shared = try version.sharedSecret(of: agreementKey, with: request.keyAgreement)
    guard version.verify(request.authentication, of: request.encryptedSalts, with: shared) else {
      throw CTAPStatus.pinAuthInvalid
    }
    let salts = try version.decrypt(request.encryptedSalts, with: shared)
    guard salts.count == 32 || salts.count == 64 else { throw CTAPStatus.invalidLength }
    let parts = stride(from: 0, to: salts.count, by: 32).map { Array(salts[$0..<($0 + 32)]) }
    let values = try await secrets.values(of: parts, isVerified: isVerified, in: keyStore)
    return try version.encrypt(values.flatMap { $0 }, with: shared, randomBytes: randomBytes)
  }
}

extension PublicKeyCredentialSource {
  /// The account as CTAP describes it, with its names only when the person was verified.
  func entity(namesAccount: Bool) -> CBORMap {
    var entity: CBORMap = ["id": .bytes(userHandle ?? [])]
    guard namesAccount else { return entity }
    if !userName.isEmpty { entity["name"] = .text(userName) }
    if let displayName = roaming?.displayName, !displayName.isEmpty {
      entity["displayName"] = .text(displayName)
    }
    return entity
  }
}
