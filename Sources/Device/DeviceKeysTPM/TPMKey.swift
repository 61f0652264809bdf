internal import Crypto
internal import CTSS2
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import KeyAttestation
internal import StrictJSON

/// A key in the chip, with what unlocks it. For each signature it is loaded and flushed again: the chip has three slots.
struct TPMKey: AttestableDeviceKey {
  let file: TPMKeyFile
  let path: String
  let authorization: KeyAuthorization?
  let chip: TPMChip
  let certificates: AttestationCertificates

  var tag: String { file.key.tag }
  var publicKey: JWK { file.key.publicKey }

  func signature(for signingInput: [UInt8]) async throws -> [UInt8] {
    let digest = Array(SHA256.hash(data: signingInput))
    return try await use { connection, key, session in
      try connection.sign(digest, with: key, session: session)
    }
  }

  /// Lets the chip's attestation key state that this key lives in the chip (TPM2_Certify).
  ///
  /// The nonce is the challenge, or its SHA-256 digest when it has more than 32 bytes.
  func attestation(challenge: [UInt8]) async throws -> KeyAttestationEvidence {
    guard let chain = try certificates.chain() else {
      throw DeviceKeyError.unsupported(
        "The certificate of the TPM's attestation key is gone: there is no \(certificates.file.path).")
    }
    let nonce = challenge.count <= 32 ? challenge : Array(SHA256.hash(data: challenge))
    let statement = try await use { connection, key, session in
      let attestationKey = try connection.attestationKey()
      let (attest, signature) = try connection.certify(
        key, session: session, by: attestationKey, nonce: nonce)
      return TPMStatement(
        certifyInfo: attest, signature: signature, publicArea: key.publicArea.marshalled)
    }
    return KeyAttestationEvidence(certificateChain: chain, members: ["tpm": .object(statement.json)])
  }

  /// The private blob that another authorisation value opens.
  func privateBlob(unlockedBy authorization: KeyAuthorization) async throws -> [UInt8] {
    try await use { connection, key, session in
      let parent = try connection.storageKey()
      return try connection.changeAuthorization(of: key, under: parent, to: authorization, session: session)
    }
  }

  /// Checks that the chip knows the key and that the PIN is right.
  func verify() async throws {
    try await use { connection, key, session in
      if authorization != nil { try connection.proveAuthorization(of: key, session: session) }
    }
  }

  /// Runs `body` with the key in the chip and a session that authorises its use.
  func use<Result: Sendable>(
    _ body:
      @escaping @Sendable (TPMConnection, TPMConnection.LoadedKey, ESYS_TR) throws -> Result
  ) async throws -> Result {
    try await chip.run { connection in
      let parent = try connection.storageKey()
      guard parent.publicArea.name == file.parentName else {
        throw DeviceKeyError.lost(
          tag: tag, reason: "it belongs to another TPM, or this one was cleared since it was made")
      }
      let session = try connection.session(for: authorization, saltedWith: parent)
      let key = try load(under: parent, connection)
      // Its slot is free for others, such as the attestation key.
      try connection.flush(parent.handle)
      if let authorization { try connection.setAuthorization(authorization, of: key) }
      do {
        return try body(connection, key, session)
      } catch let failure as TPMFailure where failure.meaning == .wrongAuthorization {
        throw DeviceKeyError.wrongPIN(tag: tag)
      } catch let failure as TPMFailure where failure.meaning == .lockedOut {
        throw DeviceKeyError.lockedOut(tag: tag, retryAfter: try connection.lockout().secondsLeft)
      }
    }
  }

  private func load(
    under parent: TPMConnection.LoadedKey, _ connection: TPMConnection
  ) throws -> TPMConnection.LoadedKey {
    do {
      return try connection.load(
        try PublicArea(sized: file.publicBlob), privateBlob: file.privateBlob, under: parent)
    } catch let failure as TPMFailure where failure.meaning == .integrity || failure.meaning == .other {
      throw DeviceKeyError.unreadable(path: path, reason: "the TPM does not take its key: \(failure)")
    }
  }
}

extension TPMConnection {
  /// The parent of all device keys.
  func storageKey() throws -> LoadedKey {
    do {
      return try createPrimary(Template.storage, in: ESYS_TR_RH_OWNER)
    } catch let failure as TPMFailure
      where failure.meaning == .uncountedWrongAuthorization || failure.meaning == .wrongAuthorization
    {
      throw DeviceKeyError.unsupported(
        "The owner hierarchy of the TPM has a password, and keys cannot be made or used without it."
          + " Remove it (tpm2_changeauth -c owner), or use the software store.")
    }
  }

  /// What authorises a key with `authorization`: a session that hides it, or the empty password when there is none.
  func session(
    for authorization: KeyAuthorization?, saltedWith parent: LoadedKey
  ) throws -> ESYS_TR {
    authorization == nil ? ESYS_TR_PASSWORD : try startSession(saltedWith: parent)
  }
}
