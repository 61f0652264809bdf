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
      // Most tokens do not support a PIN for each use.
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
      (CryptokiConstant.token, yes), (CryptokiConstant.verify, yes),
      (CryptokiConstant.ecParameters, CryptokiConstant.p256),
      (CryptokiConstant.label, label), (CryptokiConstant.id, id),
    ]
    var privateTemplate = [
      (CryptokiConstant.token, yes), (CryptokiConstant.private, yes), (CryptokiConstant.sensitive, yes),
      (CryptokiConstant.extractable, no), (CryptokiConstant.sign, yes), (CryptokiConstant.label, label),
      (CryptokiConstant.id, id),
    ]
    if alwaysAuthenticates { privateTemplate.append((CryptokiConstant.alwaysAuthenticate, yes)) }
    var mechanism = CryptokiModule.Attribute(type: CryptokiConstant.keyPairGeneration, value: nil, length: 0)
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
      (CryptokiConstant.token, true, "is not kept (CKA_TOKEN)"),
      (CryptokiConstant.private, true, "needs no PIN (CKA_PRIVATE)"),
      (CryptokiConstant.sensitive, true, "may be shown (CKA_SENSITIVE)"),
      (CryptokiConstant.alwaysSensitive, true, "could once be shown (CKA_ALWAYS_SENSITIVE)"),
      (CryptokiConstant.extractable, false, "may leave the token (CKA_EXTRACTABLE)"),
      (CryptokiConstant.neverExtractable, true, "could once leave the token (CKA_NEVER_EXTRACTABLE)"),
      (CryptokiConstant.local, true, "was not made in the token (CKA_LOCAL)"),
      (CryptokiConstant.sign, true, "does not sign (CKA_SIGN)"),
    ]
    for (attribute, demanded, consequence) in demands
    where try flag(attribute, of: privateKey) != demanded {
      throw CryptokiFailure(reason: "the key that it made \(consequence)")
    }
    guard
      try value(of: CryptokiConstant.keyType, privateKey, limit: 32)
        == CryptokiModule.word(CryptokiConstant.ellipticCurve)
    else { throw CryptokiFailure(reason: "the key that it made has another type (CKA_KEY_TYPE)") }
  }

  /// The point of a public key on P-256, not checked to be on the curve.
  private func point(of publicKey: UInt) throws(CryptokiFailure) -> [UInt8] {
    guard try value(of: CryptokiConstant.ecParameters, publicKey, limit: 64) == CryptokiConstant.p256 else {
      throw CryptokiFailure(reason: "the key that it made is on another curve (CKA_EC_PARAMS)")
    }
    let bytes = try value(of: CryptokiConstant.ecPoint, publicKey, limit: 256) ?? []
    // The point is in a DER OCTET STRING, which some modules leave out.
    let point = bytes.count == 67 && bytes.starts(with: [4, 65]) ? Array(bytes.dropFirst(2)) : bytes
    guard point.count == 65 else {
      throw CryptokiFailure(reason: "the public key that it made has \(bytes.count) bytes (CKA_EC_POINT)")
    }
    return point
  }
}
