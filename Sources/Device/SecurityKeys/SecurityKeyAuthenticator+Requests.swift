#if os(Linux)
  package import WebAuthnAuthenticator
  internal import WebAuthnFormats

  extension SecurityKeyAuthenticator {
    /// Makes a credential in the key (CTAP 2.1 §6.1).
    ///
    /// - Parameters:
    ///   - request: Its `verifiesUser` is not looked at.
    ///   - verification: What the server wants.
    /// - Throws: ``SecurityKeyError``, ``AuthenticatorError``, `CancellationError`.
    package func makeCredential(
      _ request: MakeCredentialRequest, _ verification: Verification
    ) async throws -> SecurityKeyCredential {
      guard request.algorithms.contains(COSEAlgorithm.es256.rawValue) else {
        throw AuthenticatorError.unsupported("The server takes no keys of ES256.")
      }
      let opened = try await open(
        .register, request.relyingPartyID, userName: request.userName, request.scope)
      return try await reporting(request.relyingPartyID) {
        let excluded = try await known(request.excluded, request.relyingPartyID, opened.session)
        let (made, isVerified) = try await verified(opened, verification) {
          try await opened.session.makeCredential(
            SecurityKeySession.CredentialRequest(
              clientDataHash: request.clientDataHash, relyingPartyID: request.relyingPartyID,
              relyingPartyName: Self.short(request.relyingPartyName), userHandle: request.userHandle,
              userName: Self.short(request.userName), userDisplayName: Self.short(request.userDisplayName),
              excluded: excluded, isResident: request.requiresResidentKey), $0)
        }
        return try SecurityKeyCredential(
          format: made.format, statement: made.statement, authenticatorData: made.authenticatorData,
          relyingPartyID: request.relyingPartyID, isVerified: isVerified, excluded: request.excluded,
          tellsModel: request.attestation != .none)
      }
    }

    /// A list that a key takes at once: of a longer one, the part that has a credential of the key; empty when none has.
    private func known(_ ids: [[UInt8]], _ relyingPartyID: String, _ session: SecurityKeySession) async throws
      -> [[UInt8]]
    {
      guard ids.count > Self.idsAtOnce else { return ids }
      for start in stride(from: 0, to: ids.count, by: Self.idsAtOnce) {
        let part = Array(ids[start...].prefix(Self.idsAtOnce))
        // Without a touch: the answer is used for nothing else than the request that has one.
        let found = try? await session.getAssertions(
          clientDataHash: [UInt8](repeating: 0, count: 32), relyingPartyID: relyingPartyID, allowed: part,
          .none,
          isSilent: true)
        try Task.checkCancellation()
        if found?.isEmpty == false { return part }
      }
      return []
    }

    /// Signs with a credential of the key (CTAP 2.1 §6.2).
    ///
    /// - Parameters:
    ///   - request: Its `verifiesUser` is not looked at.
    ///   - verification: What the server wants.
    /// - Throws: ``SecurityKeyError``, ``AuthenticatorError``, `CancellationError`.
    package func getAssertion(
      _ request: GetAssertionRequest, _ verification: Verification
    ) async throws -> SecurityKeyAssertion {
      let opened = try await open(.signIn, request.relyingPartyID, userName: "", request.scope)
      return try await reporting(request.relyingPartyID) {
        let allowed = try await known(request.allowed, request.relyingPartyID, opened.session)
        guard !allowed.isEmpty || request.allowed.isEmpty else {
          throw SecurityKeyError.noCredential(relyingPartyID: request.relyingPartyID)
        }
        let (found, isVerified) = try await verified(opened, verification) {
          try await opened.session.getAssertions(
            clientDataHash: request.clientDataHash, relyingPartyID: request.relyingPartyID, allowed: allowed,
            $0)
        }
        // Of a list a key signs with one.
        let raw = allowed.isEmpty ? found : Array(found.prefix(1))
        let assertions = try raw.map { raw throws(SecurityKeyError) in
          try SecurityKeyAssertion(
            credentialID: raw.credentialID, authenticatorData: raw.authenticatorData,
            signature: raw.signature,
            userHandle: raw.userHandle, relyingPartyID: request.relyingPartyID, allowed: allowed,
            isVerified: isVerified)
        }
        guard let first = assertions.first else { throw SecurityKeyError.misbehaved("it signed nothing") }
        guard assertions.count > 1 else { return first }
        let accounts = raw.map {
          SecurityKeyAccount(
            userHandle: $0.userHandle, userName: Self.short($0.userName),
            userDisplayName: Self.short($0.userDisplayName))
        }
        let choice = await person.choose(among: accounts, for: opened.use)
        try Task.checkCancellation()
        guard let choice, assertions.indices.contains(choice) else { throw SecurityKeyError.declined }
        return assertions[choice]
      }
    }
  }
#endif
