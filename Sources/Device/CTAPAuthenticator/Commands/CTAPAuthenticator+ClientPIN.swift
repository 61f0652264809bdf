internal import CBOR
internal import Crypto
internal import CTAP
internal import DeviceKeys
internal import Foundation

extension CTAPAuthenticator {
  static let pinPolicy = PINPolicy.standard
  /// Bytes that a new PIN is padded to (CTAP 2.1 §6.5.5.5).
  private static let paddedBytes = 64

  /// §6.5.5.
  func clientPIN(_ request: CTAPClientPIN) async throws -> CBORMap? {
    switch request.command {
    case .getRetries:
      return [3: CBORValue(try await pin.tries), 4: .bool(wrongInARow >= Self.mismatches)]
    case .getVerificationRetries: return [5: CBORValue(try await verificationTries())]
    case .getKeyAgreement:
      _ = try Self.version(request)
      return [1: CTAPKeyAgreement(agreementKey.publicKey).cbor]
    case .setPIN: try await setPIN(request)
    case .changePIN: try await changePIN(request)
    case .getTokenByPIN:
      guard request.permissions == nil, request.relyingPartyID == nil else {
        throw CTAPStatus.invalidParameter
      }
      return try await tokenByPIN(request, [.makeCredential, .getAssertion])
    case .getTokenByPINWithPermissions: return try await tokenByPIN(request, Self.permissions(request))
    case .getTokenByVerification: return try await tokenByVerification(request)
    }
    return nil
  }

  private static func version(_ request: CTAPClientPIN) throws -> PINProtocol {
    guard let number = request.version else { throw CTAPStatus.missingParameter }
    guard let version = PINProtocol(rawValue: number) else { throw CTAPStatus.invalidParameter }
    return version
  }

  private static func permissions(_ request: CTAPClientPIN) throws -> CTAPPermissions {
    guard let permissions = request.permissions else { throw CTAPStatus.missingParameter }
    guard !permissions.isEmpty else { throw CTAPStatus.invalidParameter }
    let known: CTAPPermissions = [.makeCredential, .getAssertion, .credentialManagement]
    guard known.isSuperset(of: permissions) else { throw CTAPStatus.unauthorizedPermission }
    guard
      request.relyingPartyID != nil || permissions.isDisjoint(with: [.makeCredential, .getAssertion])
    else { throw CTAPStatus.missingParameter }
    return permissions
  }

  private func shared(
    _ request: CTAPClientPIN
  ) throws -> (version: PINProtocol, secret: PINProtocol.SharedSecret) {
    let version = try Self.version(request)
    guard let key = request.keyAgreement else { throw CTAPStatus.missingParameter }
    return (version, try version.sharedSecret(of: agreementKey, with: key))
  }

  // MARK: Setting

  private func setPIN(_ request: CTAPClientPIN) async throws {
    let (version, secret) = try shared(request)
    guard let encrypted = request.newPIN, let proof = request.authentication else {
      throw CTAPStatus.missingParameter
    }
    guard try await !pin.isSet, version.verify(proof, of: encrypted, with: secret) else {
      throw CTAPStatus.pinAuthInvalid
    }
    let hash = try Self.newHash(encrypted, version, secret)
    // Without a question, the first program would choose the PIN that verifies the person from then on.
    try await agree(SecurityKeyQuestion(.setPIN))
    // Until now, the person was verified without the PIN.
    try forgetFingers()
    token = nil
    try await pin.set(hash)
    log("Set the PIN.")
  }

  private func changePIN(_ request: CTAPClientPIN) async throws {
    let (version, secret) = try shared(request)
    guard let encrypted = request.newPIN, let proof = request.authentication,
      let encryptedHash = request.pinHash
    else { throw CTAPStatus.missingParameter }
    guard try await pin.isSet else { throw CTAPStatus.pinNotSet }
    guard version.verify(proof, of: encrypted + encryptedHash, with: secret) else {
      throw CTAPStatus.pinAuthInvalid
    }
    let hash = try Self.hash(encryptedHash, version, secret)
    try await checkPIN(hash, changingTo: try Self.newHash(encrypted, version, secret))
    token = nil
    // Somebody who knew the old PIN may have had their finger trusted with it.
    do { try forgetFingers() } catch {
      log("The fingers that are trusted could not be forgotten: \(error.localizedDescription)")
    }
    log("Changed the PIN.")
  }

  /// The hash of a new PIN that the policy accepts.
  private static func newHash(
    _ encrypted: [UInt8], _ version: PINProtocol, _ secret: PINProtocol.SharedSecret
  ) throws -> [UInt8] {
    let padded = try version.decrypt(encrypted, with: secret)
    guard padded.count == paddedBytes else { throw CTAPStatus.invalidParameter }
    guard let end = padded.lastIndex(where: { $0 != 0 }), end < paddedBytes - 1,
      let text = String(validating: padded[...end], as: UTF8.self), pinPolicy.violation(of: PIN(text)) == nil
    else { throw CTAPStatus.pinPolicyViolation }
    return Array(SHA256.hash(data: padded[...end]).prefix(16))
  }

  private static func hash(
    _ encrypted: [UInt8], _ version: PINProtocol, _ secret: PINProtocol.SharedSecret
  ) throws -> [UInt8] {
    let hash = try version.decrypt(encrypted, with: secret)
    guard hash.count == 16 else { throw CTAPStatus.invalidParameter }
    return hash
  }

  // MARK: Tokens

  /// The account in a question when the program has not named it yet.
  static let anyAccount = "any account of this site"

  private func tokenByPIN(
    _ request: CTAPClientPIN, _ permissions: CTAPPermissions
  ) async throws -> CBORMap {
    let (version, secret) = try shared(request)
    guard let encrypted = request.pinHash else { throw CTAPStatus.missingParameter }
    guard try await pin.isSet else { throw CTAPStatus.pinNotSet }
    try await checkPIN(try Self.hash(encrypted, version, secret))
    return try newToken(permissions, request, agreed: [], version, secret)
  }

  private func tokenByVerification(_ request: CTAPClientPIN) async throws -> CBORMap {
    let permissions = try Self.permissions(request)
    let (version, secret) = try shared(request)
    // The question names one purpose, and no platform asks for both in one token.
    guard !permissions.contains(.credentialManagement) || permissions == .credentialManagement else {
      throw CTAPStatus.unauthorizedPermission
    }
    guard try await canVerifyHere() else { throw CTAPStatus.notAllowed }
    // For a new passkey platforms ask for both, to look for existing ones; the question is about the new passkey.
    let (purpose, agreed): (SecurityKeyQuestion.Purpose, CTAPPermissions) =
      if permissions.contains(.credentialManagement) {
        (.verify, [])
      } else if permissions.contains(.makeCredential) {
        (.register, .makeCredential)
      } else {
        (.signIn, .getAssertion)
      }
    // The program names the account only with the request that the token is for.
    let account = agreed.isEmpty ? nil : Self.anyAccount
    try await agree(
      SecurityKeyQuestion(purpose, relyingParty: request.relyingPartyID, account: account), verifying: true)
    return try newToken(permissions, request, agreed: agreed, version, secret)
  }

  private func newToken(
    _ permissions: CTAPPermissions, _ request: CTAPClientPIN, agreed: CTAPPermissions,
    _ version: PINProtocol,
    _ secret: PINProtocol.SharedSecret
  ) throws -> CBORMap {
    let new = VerificationToken(
      permissions, relyingPartyID: request.relyingPartyID, agreed: agreed, at: elapsed(),
      randomBytes: randomBytes)
    token = new
    return [2: .bytes(try version.encrypt(new.bytes, with: secret, randomBytes: randomBytes))]
  }
}
