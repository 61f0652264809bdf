internal import Bytes
internal import CBOR
internal import CTAP
internal import Foundation
internal import WebAuthnAuthenticator
internal import WebAuthnFormats

extension CTAPAuthenticator {
  /// CTAP 2.1 §6.1.2.
  func makeCredential(_ request: CTAPMakeCredential) async throws -> CBORMap {
    try await answerSelection(request.authorization)
    guard !request.wantsEnterpriseAttestation else { throw CTAPStatus.invalidParameter }
    guard request.algorithms.contains(COSEAlgorithm.es256.rawValue) else {
      throw CTAPStatus.unsupportedAlgorithm
    }
    guard request.options.presence != false else { throw CTAPStatus.invalidOption }
    try refuseLargeBlobs(request.extensions)
    let id = request.relyingPartyID
    let proved = try isVerified(
      request.authorization, request.clientDataHash, for: .makeCredential, relyingPartyID: id)
    let verifiesHere = try await verifiesHere(request.options, isProved: proved)
    let isResident = request.options.residentKey == true
    let isVerified = proved || verifiesHere
    if isResident, !isVerified, try await canVerifyHere() { throw CTAPStatus.pinRequired }
    let isExcluded =
      try await first(of: request.excluded, relyingPartyID: id, isVerified: isVerified) != nil
    // There is one discoverable passkey for each account (§6.1.2 step 17).
    let replaced =
      isResident && !isExcluded
      ? try await kept(relyingPartyID: id).filter { $0.userHandle == request.user.id } : []
    // A person who agreed to a token has not seen that a passkey will be replaced.
    let isAgreed =
      proved && replaced.isEmpty && token?.provesPresence(for: .makeCredential, at: elapsed()) == true
    if !isAgreed {
      // An excluded credential gets the same question: the person decides whether the relying party learns of it.
      try await agree(
        SecurityKeyQuestion(
          .register, relyingParty: id, account: Self.account(request.user), replaces: Self.text(replaced)),
        verifying: verifiesHere)
    }
    token?.spend()
    guard !isExcluded else { throw CTAPStatus.credentialExcluded }
    if isResident, replaced.isEmpty, try await kept().count >= Self.capacity {
      throw CTAPStatus.keyStoreFull
    }
    let reply = try await make(request, isResident: isResident, isVerified: isVerified)
    for other in replaced {
      do { try await authenticator.delete(other) } catch {
        // The new passkey exists, and the program has to learn of it.
        log("Passkey \(other.credentialID) was replaced, and is not deleted: \(error.localizedDescription)")
      }
    }
    return reply
  }

  /// The passkeys that a new one replaces, as text; `nil` for none. The name comes last, so that it pushes nothing out of sight.
  private static func text(_ replaced: [PublicKeyCredentialSource]) -> String? {
    guard !replaced.isEmpty else { return nil }
    let days = DateFormatter(fixed: "yyyy-MM-dd", in: .current)
    return replaced.map { "the passkey made on \(days.string(from: $0.createdAt)) for \($0.userName)" }
      .joined(separator: "; ")
  }

  private func make(
    _ request: CTAPMakeCredential, isResident: Bool, isVerified: Bool
  ) async throws -> CBORMap {
    let protection = request.extensions["credProtect"]?.intValue
      .flatMap(RoamingDetails.Protection.init(rawValue:))
    let wantsSecret = request.extensions["hmac-secret"] == true
    var outputs = CBORMap()
    outputs["credProtect"] = protection.map { CBORValue($0.rawValue) }
    if wantsSecret { outputs["hmac-secret"] = true }
    let secrets =
      wantsSecret ? try await PseudoRandomSecrets(for: keyStore, randomBytes: randomBytes) : nil
    let made = try await authenticator.makeRoamingCredential(
      MakeCredentialRequest(
        clientDataHash: request.clientDataHash, relyingPartyID: request.relyingPartyID,
        relyingPartyName: request.relyingPartyName, userHandle: request.user.id, userName: request.user.name,
        userDisplayName: request.user.displayName, algorithms: request.algorithms,
        requiresResidentKey: isResident, verifiesUser: isVerified, attestation: .none),
      RoamingDetails(
        displayName: request.user.displayName, protection: protection ?? .optional,
        secrets: secrets),
      extensions: outputs.count == 0 ? nil : outputs)
    log("Made passkey \(made.source.credentialID) for \(request.relyingPartyID).")
    let object = made.attestationObject
    return [1: .text(object.format), 2: .bytes(object.authenticatorData), 3: .map(object.statement)]
  }

  /// Whether the person is to be verified by our own question.
  func verifiesHere(_ options: CTAPOptions, isProved: Bool) async throws -> Bool {
    guard options.verification == true, !isProved else { return false }
    guard try await canVerifyHere() else { throw CTAPStatus.invalidOption }
    return true
  }

  /// Refuses requests for large blobs, which are not stored: the platform would otherwise get a passkey that loses its blob.
  func refuseLargeBlobs(_ extensions: CBORMap) throws {
    guard extensions["largeBlobKey"] == nil else {
      log("Refused the extension largeBlobKey, which is not supported.")
      throw CTAPStatus.unsupportedOption
    }
  }

  private static func account(_ user: CTAPUser) -> String {
    user.displayName.isEmpty || user.displayName == user.name
      ? user.name : "\(user.name) (\(user.displayName))"
  }
}
