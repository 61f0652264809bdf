internal import Crypto
internal import Cryptoki
internal import DeviceKeys

extension TokenSession {
  /// Makes a P-256 key pair with the id `id` that stays in the token, and checks that the token says so and that the key signs.
  ///
  /// - Returns: The public key, `04 ‖ x ‖ y`.
  /// - Throws: ``CryptokiFailure``. What was made is then still there: the caller removes it.
  func generateKey(id: [UInt8], tag: String) throws -> [UInt8] {
    var (publicKey, privateKey, code) = generate(id: id, alwaysAuthenticates: true)
    if CryptokiModule.Return.isRefusedTemplate(code) {
      // Most tokens know no PIN for each use.
      (publicKey, privateKey, code) = generate(id: id, alwaysAuthenticates: false)
    }
    if code == CryptokiModule.Return.userNotLoggedIn {
      throw CryptokiFailure(reason: "it lets only its administrator make keys (CKR_USER_NOT_LOGGED_IN)")
    }
    try CryptokiFailure.check(code)
    try checkAttributes(of: privateKey)
    let point = try point(of: publicKey)
    guard let key = try? P256.Signing.PublicKey(x963Representation: point) else {
      throw CryptokiFailure(reason: "the public key that it made is not a point on P-256")
    }
    // A challenge of our own, so that a key that cannot sign is found now.
    _ = try signature(of: id + Array(tag.utf8), by: privateKey, key, tag: tag)
    return point
  }

  private func generate(
    id: [UInt8], alwaysAuthenticates: Bool
  ) -> (publicKey: UInt, privateKey: UInt, code: CryptokiModule.Code) {
    let yes: [UInt8] = [1]
    let no: [UInt8] = [0]
    let label = Array("Sealring".utf8)
    let publicTemplate = [
      (TokenAttribute.token, yes), (TokenAttribute.verify, yes),
      (TokenAttribute.ecParameters, TokenAttribute.p256),
      (TokenAttribute.label, label), (TokenAttribute.id, id),
    ]
    var privateTemplate = [
      (TokenAttribute.token, yes), (TokenAttribute.private, yes), (TokenAttribute.sensitive, yes),
      (TokenAttribute.extractable, no), (TokenAttribute.sign, yes), (TokenAttribute.label, label),
      (TokenAttribute.id, id),
    ]
    if alwaysAuthenticates { privateTemplate.append((TokenAttribute.alwaysAuthenticate, yes)) }
    var mechanism = CryptokiModule.Attribute(type: TokenAttribute.keyPairGeneration, value: nil, length: 0)
    var (publicKey, privateKey): (UInt, UInt) = (0, 0)
    let code = CryptokiModule.withAttributes(publicTemplate.map { (type: $0.0, value: $0.1) }) {
      first, firstCount in
      CryptokiModule.withAttributes(privateTemplate.map { (type: $0.0, value: $0.1) }) {
        second, secondCount in
        module.generateKeyPair(
          handle, &mechanism, first, firstCount, second, secondCount, &publicKey, &privateKey)
      }
    }
    return (publicKey, privateKey, code)
  }

  /// - Throws: ``CryptokiFailure`` unless the token says that the key was made in it, stays in it, and needs the PIN.
  private func checkAttributes(of privateKey: UInt) throws(CryptokiFailure) {
    let demands: [(UInt, Bool, String)] = [
      (TokenAttribute.token, true, "is not kept (CKA_TOKEN)"),
      (TokenAttribute.private, true, "needs no PIN (CKA_PRIVATE)"),
      (TokenAttribute.sensitive, true, "may be shown (CKA_SENSITIVE)"),
      (TokenAttribute.alwaysSensitive, true, "could once be shown (CKA_ALWAYS_SENSITIVE)"),
      (TokenAttribute.extractable, false, "may leave the token (CKA_EXTRACTABLE)"),
      (TokenAttribute.neverExtractable, true, "could once leave the token (CKA_NEVER_EXTRACTABLE)"),
      (TokenAttribute.local, true, "was not made in the token (CKA_LOCAL)"),
      (TokenAttribute.sign, true, "does not sign (CKA_SIGN)"),
    ]
    for (attribute, demanded, consequence) in demands
    where try flag(attribute, of: privateKey) != demanded {
      throw CryptokiFailure(reason: "the key that it made \(consequence)")
    }
    guard
      try value(of: TokenAttribute.keyType, privateKey, limit: 32)
        == CryptokiModule.word(TokenAttribute.ellipticCurve)
    else { throw CryptokiFailure(reason: "the key that it made has another type (CKA_KEY_TYPE)") }
  }

  /// The point of a public key on P-256, not checked to be on the curve.
  private func point(of publicKey: UInt) throws(CryptokiFailure) -> [UInt8] {
    guard try value(of: TokenAttribute.ecParameters, publicKey, limit: 64) == TokenAttribute.p256 else {
      throw CryptokiFailure(reason: "the key that it made is on another curve (CKA_EC_PARAMS)")
    }
    let bytes = try value(of: TokenAttribute.ecPoint, publicKey, limit: 256) ?? []
    // An OCTET STRING of DER with the point in it; some modules leave it away.
    let point = bytes.count == 67 && bytes.starts(with: [4, 65]) ? Array(bytes.dropFirst(2)) : bytes
    guard point.count == 65 else {
      throw CryptokiFailure(reason: "the public key that it made has \(bytes.count) bytes (CKA_EC_POINT)")
    }
    return point
  }
}
