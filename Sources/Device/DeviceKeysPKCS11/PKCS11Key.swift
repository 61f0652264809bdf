internal import Crypto
internal import Cryptoki
internal import DeviceKeys
internal import JOSE

/// A key in a token, with the PIN that unlocks it. Each signature opens a session of its own, because the card may be gone by then.
struct PKCS11Key: DeviceKey {
  let file: TokenKeyFile
  let publicKey: JWK
  let pin: PIN
  let tokens: TokenModule

  var tag: String { file.tag }

  func signature(for signingInput: [UInt8]) async throws -> [UInt8] {
    try await tokens.run { module in
      let token = try tokens.token(file.token, module)
      return try TokenSession.use(token, of: module, pin: pin, tag: tag, writes: false) { session in
        let object = try object(session)
        guard let key = try? P256.Signing.PublicKey(x963Representation: file.publicKey) else {
          throw CryptokiFailure(reason: "the key's public half is not on P-256")
        }
        return try session.signature(of: signingInput, by: object, key, tag: tag)
      }
    }
  }

  /// The private key in the token.
  func object(_ session: TokenSession) throws -> UInt {
    guard let object = try session.privateKey(id: file.id) else {
      throw DeviceKeyError.lost(tag: tag, reason: "\(file.token.name) no longer has it")
    }
    return object
  }
}
