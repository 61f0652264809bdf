#if os(Linux)
  package import WebAuthnAuthenticator
  internal import WebAuthnFormats

  extension SecurityKeyAuthenticator {
    /// Makes a credential in the key (CTAP 2.1 §6.1).
    ///
    /// - Parameters:
    ///   - request: Its `verifiesUser` is ignored.
    ///   - verification: What the server wants.
    /// - Throws: ``SecurityKeyError``, ``AuthenticatorError``, `CancellationError`.
    package func makeCredential(
      _ request: MakeCredentialRequest, _ verification: Verification
    ) async throws -> SecurityKeyCredential {
      guard request.algorithms.contains(COSEAlgorithm.es256.rawValue) else {
        throw AuthenticatorError.unsupported("The server does not accept ES256 keys.")
      }
      let opened = try await open(
        .register, request.relyingPartyID, userName: request.userName, request.scope)
      return try await reporting(request.relyingPartyID) {
        let (made, isVerified) = try await verified(opened, verification) { verification in
          let excluded = try await known(request.excluded, request.relyingPartyID, opened, verification)
          return try await opened.session.makeCredential(request, excluded: excluded, verification)
        }
        return try SecurityKeyCredential(
          format: made.format, statement: made.statement, authenticatorData: made.authenticatorData,
          relyingPartyID: request.relyingPartyID, isVerified: isVerified, excluded: request.excluded,
          tellsModel: request.attestation != .none)
      }
    }

    /// Returns a list that a key accepts at once. From a longer list, returns the part that has a credential of the key; empty when no part
    /// has.
    ///
    /// - Parameter verification: The verification of the request that the list is for. It is used for a key that reveals credentials only
    ///   to verified persons. A key that verifies by itself and has a PIN is asked with the PIN, because it would verify the person again
    ///   for each part.
    /// - Throws: ``SecurityKeySession/Failure``, such as that the PIN is needed; `CancellationError`.
    private func known(
      _ ids: [[UInt8]], _ relyingPartyID: String, _ opened: Opened,
      _ verification: SecurityKeySession.Verification
    ) async throws -> [[UInt8]] {
      guard ids.count > Self.idsAtOnce else { return ids }
      var refusal: SecurityKeySession.Failure?
      do {
        if let part = try await part(of: ids, relyingPartyID, opened.session, .none) { return part }
      } catch let failure as SecurityKeySession.Failure where failure.needsVerification {
        refusal = failure
      }
      switch verification {
      case .none:
        if let refusal { throw refusal }
        return []
      case .byKey where opened.abilities.hasPIN: throw SecurityKeySession.Failure.pinRequired
      case .byKey, .pin:
        return try await part(of: ids, relyingPartyID, opened.session, verification) ?? []
      }
    }

    /// The first part of a list that has a credential of the key; `nil` when none has. Asks without a touch: the answer is used only for
    /// the request that needs a touch.
    private func part(
      of ids: [[UInt8]], _ relyingPartyID: String, _ session: SecurityKeySession,
      _ verification: SecurityKeySession.Verification
    ) async throws -> [[UInt8]]? {
      for start in stride(from: 0, to: ids.count, by: Self.idsAtOnce) {
        let part = Array(ids[start...].prefix(Self.idsAtOnce))
        do {
          let found = try await session.getAssertions(
            clientDataHash: [UInt8](repeating: 0, count: 32), relyingPartyID: relyingPartyID, allowed: part,
            verification, isSilent: true)
          if !found.isEmpty { return part }
        } catch let failure as SecurityKeySession.Failure where failure.tellsOfNone {
          continue
        }
      }
      return nil
    }

    /// Signs with a credential of the key (CTAP 2.1 §6.2).
    ///
    /// - Parameters:
    ///   - request: Its `verifiesUser` is ignored.
    ///   - verification: What the server wants.
    /// - Throws: ``SecurityKeyError``, ``AuthenticatorError``, `CancellationError`.
    package func getAssertion(
      _ request: GetAssertionRequest, _ verification: Verification
    ) async throws -> SecurityKeyAssertion {
      let opened = try await open(.signIn, request.relyingPartyID, userName: "", request.scope)
      return try await reporting(request.relyingPartyID) {
        let (answer, isVerified) = try await verified(opened, verification) { verification in
          let allowed = try await known(request.allowed, request.relyingPartyID, opened, verification)
          guard !allowed.isEmpty || request.allowed.isEmpty else {
            throw SecurityKeyError.noCredential(relyingPartyID: request.relyingPartyID)
          }
          let found = try await opened.session.getAssertions(
            clientDataHash: request.clientDataHash, relyingPartyID: request.relyingPartyID, allowed: allowed,
            verification)
          return (found: found, allowed: allowed)
        }
        let (found, allowed) = answer
        // From a list, a key signs with one credential.
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
