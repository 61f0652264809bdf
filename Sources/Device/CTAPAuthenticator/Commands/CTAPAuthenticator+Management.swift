internal import CBOR
internal import Crypto
internal import CTAP
internal import DeviceKeys
internal import JOSE
internal import WebAuthnAuthenticator
internal import WebAuthnFormats

extension CTAPAuthenticator {
  /// Lists, deletes and renames passkeys (CTAP 2.1 §6.8).
  func manage(
    _ request: CTAPCredentialManagement, _ known: Pending.Rest?, on channel: UInt32
  ) async throws -> CBORMap? {
    switch request.command {
    case .nextRelyingParty:
      guard case .relyingParties(let ids)? = known else { throw CTAPStatus.notAllowed }
      return try relyingParty(ids, on: channel)
    case .nextCredential:
      guard case .credentials(let sources)? = known else { throw CTAPStatus.notAllowed }
      return try await credential(sources, on: channel)
    case .metadata:
      try authorize(request, for: .allSites)
      let count = try await kept().count
      return [1: CBORValue(count), 2: CBORValue(max(0, Self.capacity - count))]
    case .enumerateRelyingParties:
      try authorize(request, for: .allSites)
      let ids = Set(try await kept().map(\.relyingPartyID)).sorted()
      guard !ids.isEmpty else { throw CTAPStatus.noCredentials }
      var reply = try relyingParty(ids, on: channel)
      reply[5] = CBORValue(ids.count)
      return reply
    case .enumerateCredentials(let hash):
      try authorize(request, for: .site(hash: hash))
      let sources = try await kept().filter { Self.hash($0.relyingPartyID) == hash }
      guard !sources.isEmpty else { throw CTAPStatus.noCredentials }
      var reply = try await credential(sources, on: channel)
      reply[9] = CBORValue(sources.count)
      return reply
    case .delete(let id):
      let source = try await kept().first { $0.id == id }
      try authorize(request, for: .site(hash: source.map { Self.hash($0.relyingPartyID) }))
      guard let source else { throw CTAPStatus.noCredentials }
      try await authenticator.delete(source)
      log("Deleted passkey \(source.credentialID) of \(source.relyingPartyID).")
    case .update(let id, let user):
      let source = try await kept().first { $0.id == id }
      try authorize(request, for: .site(hash: source.map { Self.hash($0.relyingPartyID) }))
      guard let source else { throw CTAPStatus.noCredentials }
      guard source.userHandle == user.id else { throw CTAPStatus.invalidParameter }
      try await credentials.rename(source, userName: user.name, displayName: user.displayName)
    }
    return nil
  }

  /// The sites that a management request reads or changes.
  private enum Scope: Equatable {
    case allSites
    /// One site, by the hash of its id; `nil` when the credential in the request is not here.
    case site(hash: [UInt8]?)
  }

  /// Checks the request's token. A token of one site learns nothing about others, not even whether they have passkeys here (CTAP 2.1 §6.8.2
  /// to §6.8.6).
  private func authorize(_ request: CTAPCredentialManagement, for scope: Scope) throws {
    guard request.authorization != nil else { throw CTAPStatus.pinRequired }
    // A token that is bound to no site stays unbound: listing a site does not bind it.
    if let bound = token?.relyingPartyID, scope != .site(hash: Self.hash(bound)) {
      throw CTAPStatus.pinAuthInvalid
    }
    _ = try isVerified(request.authorization, request.authorized, for: .credentialManagement)
  }

  private static func hash(_ id: String) -> [UInt8] { Array(SHA256.hash(data: Array(id.utf8))) }

  private func relyingParty(_ ids: [String], on channel: UInt32) throws -> CBORMap {
    guard let id = ids.first else { throw CTAPStatus.notAllowed }
    remember(.relyingParties(Array(ids.dropFirst())), on: channel)
    return [3: ["id": .text(id)], 4: .bytes(Self.hash(id))]
  }

  private func credential(
    _ sources: [PublicKeyCredentialSource], on channel: UInt32
  ) async throws -> CBORMap {
    guard let source = sources.first else { throw CTAPStatus.notAllowed }
    guard let stored = try await keyStore.readableKeys().keys.first(where: { $0.tag == source.keyTag }),
      case .p256(let x, let y) = stored.publicKey.material
    else { throw CTAPStatus.noCredentials }
    remember(.credentials(Array(sources.dropFirst())), on: channel)
    return [
      6: .map(source.entity(namesAccount: true)), 7: ["id": .bytes(source.id), "type": "public-key"],
      8: try COSEKey(.ec(.p256, x: x, y: y), algorithm: .es256).cbor,
      10: CBORValue((source.roaming?.protection ?? .optional).rawValue),
    ]
  }
}
