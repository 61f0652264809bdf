internal import Crypto
internal import CTSS2
internal import DeviceKeys
internal import JOSE
internal import KeyAttestation
internal import PrivateFiles
internal import StrictJSON

/// A key of the chip, with what unlocks it. It is loaded and flushed for each signature, because the chip has only three slots.
struct TPMKey: AttestableDeviceKey {
  let file: TPMKeyFile
  let path: String
  let authorization: KeyAuthorization?
  let chip: TPMChip
  let attestationCertificates: AttestationCertificates

  var tag: String { file.key.tag }
  var publicKey: JWK { file.key.publicKey }

  func signature(for signingInput: [UInt8]) async throws -> [UInt8] {
    let digest = Array(SHA256.hash(data: signingInput))
    return try await use { loaded, connection in
      try connection.sign(digest, with: loaded.key, session: loaded.session)
    }
  }

  /// Checks that the chip knows the key and that what unlocks it is right.
  func verify() async throws {
    try await use { [authorization] loaded, connection in
      if authorization != nil { try connection.proveAuthorization(of: loaded.key, session: loaded.session) }
    }
  }

  func attestation(challenge: [UInt8]) async throws -> KeyAttestationEvidence {
    guard !challenge.isEmpty else {
      throw DeviceKeyError.unsupported("A key cannot be attested for an empty challenge.")
    }
    let nonce = challenge.count <= 32 ? challenge : Array(SHA256.hash(data: challenge))
    let certificates = attestationCertificates
    let chain = try certificates.read()
    return try await use { loaded, connection in
      let attestationKey = try connection.attestationKey()
      try certificates.check(chain, belongsTo: attestationKey.publicArea)
      let (attest, signature) = try connection.certify(
        loaded.key, session: loaded.session, by: attestationKey, nonce: nonce)
      let statement = TPMStatement(
        certifyInfo: attest, signature: signature, publicArea: loaded.key.publicArea.marshalled)
      return KeyAttestationEvidence(
        certificateChain: chain.certificates, members: ["tpm": .object(statement.json)])
    }
  }

  /// The key's file with `authorization` in place of the one that unlocks it now.
  func changingAuthorization(to authorization: KeyAuthorization) async throws -> TPMKeyFile {
    let blob = try await use(keepingParent: true) { loaded, connection in
      try connection.changeAuthorization(
        of: loaded.key, under: loaded.parent, to: authorization, session: loaded.session)
    }
    do throws(JSONRecord.Damage) {
      return try file.replacing(privateBlob: blob)
    } catch {
      throw DeviceKeyError.unreadable(path: path, reason: error.reason)
    }
  }

  /// The key in the chip.
  private struct Loaded {
    let key: TPMConnection.LoadedKey
    /// The parent key; flushed already unless it is kept.
    let parent: TPMConnection.LoadedKey
    /// The session that authorises the key's use.
    let session: ESYS_TR
  }

  /// Runs `body` with the key in the chip and a session that authorises its use.
  ///
  /// - Parameter isKept: Whether the parent stays in its slot, which other keys, such as the attestation key, may need.
  private func use<Result: Sendable>(
    keepingParent isKept: Bool = false,
    _ body: @escaping @Sendable (Loaded, TPMConnection) throws -> Result
  ) async throws -> Result {
    try await chip.run { connection in
      let parent = try connection.parent(of: file.blobs, tag: tag)
      let session = try connection.session(for: authorization, saltedWith: parent)
      let key = try load(under: parent, connection)
      if !isKept { try connection.flush(parent.handle) }
      if let authorization { try connection.setAuthorization(authorization, of: key) }
      do {
        return try body(Loaded(key: key, parent: parent, session: session), connection)
      } catch let failure as TPMFailure where failure.meaning == .wrongAuthorization {
        throw DeviceKeyError.wrongPIN(tag: tag)
      } catch let failure as TPMFailure where failure.meaning == .uncountedWrongAuthorization {
        // The files were mixed up; this is not a wrong guess.
        throw DeviceKeyError.unreadable(path: path, reason: "the authorisation does not belong to this key")
      } catch let failure as TPMFailure where failure.meaning == .lockedOut {
        throw DeviceKeyError.lockedOut(tag: tag, retryAfter: try connection.lockout()?.secondsLeft)
      }
    }
  }

  private func load(
    under parent: TPMConnection.LoadedKey, _ connection: TPMConnection
  ) throws -> TPMConnection.LoadedKey {
    do {
      return try connection.load(file.blobs, under: parent)
    } catch let failure as TPMFailure where failure.meaning == .integrity || failure.meaning == .other {
      throw DeviceKeyError.unreadable(path: path, reason: "the TPM does not take its key: \(failure)")
    }
  }
}

extension TPMConnection {
  /// The parent of all device keys.
  func storageKey() throws -> LoadedKey {
    try withoutPassword(
      "The owner hierarchy of the TPM has a password, and keys cannot be made or used without it."
        + " Remove it (tpm2_changeauth -c owner), or use the software store."
    ) { try createPrimary(Template.storage, in: ESYS_TR_RH_OWNER) }
  }

  /// The parent under which a key was made; errors name the key `tag`.
  func parent(of blobs: TPMKeyBlobs, tag: String) throws -> LoadedKey {
    let parent = try storageKey()
    guard parent.publicArea.name == blobs.parentName else {
      throw DeviceKeyError.lost(
        tag: tag, reason: "it belongs to another TPM, or this one was cleared since it was made")
    }
    return parent
  }

  /// The session that authorises a key: one that encrypts `authorization`, or the empty password when there is none.
  func session(
    for authorization: KeyAuthorization?, saltedWith parent: LoadedKey
  ) throws -> ESYS_TR {
    authorization == nil ? ESYS_TR_PASSWORD : try startSession(saltedWith: parent)
  }
}
