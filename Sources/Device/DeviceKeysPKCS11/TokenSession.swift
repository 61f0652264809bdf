internal import Cryptoki
internal import Crypto
internal import DeviceKeys

/// A session with a token in which the person is logged in.
struct TokenSession {
  let module: CryptokiModule
  let handle: UInt
  let token: TokenIdentity
  private let pin: PIN

  /// Runs `body` in a session that is logged in with `pin`, and logs out at the end.
  ///
  /// - Parameter tag: The key that errors name.
  /// - Throws: ``DeviceKeyError/wrongPIN(tag:)``; ``DeviceKeyError/lockedOut(tag:retryAfter:)`` when the PIN is locked, which is not sent
  ///   when the token says so before; ``DeviceKeyError/unsupported(_:)``; what `body` throws.
  static func use<Result>(
    _ token: CryptokiToken, of module: CryptokiModule, pin: PIN, tag: String, writes: Bool,
    _ body: (TokenSession) throws -> Result
  ) throws -> Result {
    guard !token.isPINLocked else { throw DeviceKeyError.lockedOut(tag: tag, retryAfter: nil) }
    var handle: UInt = 0
    do {
      // CKF_SERIAL_SESSION, and CKF_RW_SESSION to write
      try CryptokiFailure.check(module.openSession(token.slot, writes ? 6 : 4, nil, nil, &handle))
      defer { _ = module.closeSession(handle) }
      let session = TokenSession(module: module, handle: handle, token: token.identity, pin: pin)
      try session.logIn(tag: tag)
      defer { _ = module.logout(handle) }
      return try body(session)
    } catch let failure as CryptokiFailure {
      throw DeviceKeyError.unsupported(
        "\(token.identity.name.capitalizedFirst) did not do what it was asked: \(failure.reason). Nothing was lost; check that it is inserted, and try again."
      )
    }
  }

  private func logIn(tag: String) throws {
    func attempt() -> CryptokiModule.Code {
      // CKU_USER
      module.login(handle, 1, pin.bytes, UInt(pin.bytes.count))
    }
    var code = attempt()
    if code == CryptokiModule.Return.userAlreadyLoggedIn {
      // Other code in this process has logged in: this PIN was not checked, so any would do.
      _ = module.logout(handle)
      code = attempt()
    }
    try Self.checkPIN(code, tag: tag)
  }

  private static func checkPIN(_ code: CryptokiModule.Code, tag: String) throws {
    switch code {
    case CryptokiModule.Return.pinIncorrect, CryptokiModule.Return.pinLengthRange,
      CryptokiModule.Return.pinInvalid:
      throw DeviceKeyError.wrongPIN(tag: tag)
    case CryptokiModule.Return.pinLocked: throw DeviceKeyError.lockedOut(tag: tag, retryAfter: nil)
    default: try CryptokiFailure.check(code)
    }
  }

  /// Makes `newPIN` the PIN of the token.
  func setPIN(_ newPIN: PIN, lengths: ClosedRange<UInt>, tag: String) throws {
    let code = module.setPIN(
      handle, pin.bytes, UInt(pin.bytes.count), newPIN.bytes, UInt(newPIN.bytes.count))
    if [CryptokiModule.Return.pinLengthRange, CryptokiModule.Return.pinInvalid].contains(code) {
      throw DeviceKeyError.unsupported(
        "\(token.name.capitalizedFirst) does not take this new PIN. It takes \(lengths.lowerBound) to \(lengths.upperBound) bytes, often digits only. Nothing was changed."
      )
    }
    try Self.checkPIN(code, tag: tag)
  }

  // MARK: Objects

  /// The objects with these attributes, at most two: callers only need to know whether there is more than one.
  func objects(_ template: [(type: UInt, value: [UInt8])]) throws(CryptokiFailure) -> [UInt] {
    try CryptokiFailure.check(
      CryptokiModule.withAttributes(template) { module.findObjectsInit(handle, $0, $1) })
    defer { _ = module.findObjectsFinal(handle) }
    var found = [UInt](repeating: 0, count: 2)
    var count: UInt = 0
    try CryptokiFailure.check(module.findObjects(handle, &found, 2, &count))
    guard count <= 2 else { throw CryptokiFailure(reason: "it finds more objects than it was asked for") }
    return Array(found.prefix(Int(count)))
  }

  /// The private key `id`; `nil` when there is none.
  func privateKey(id: [UInt8]) throws(CryptokiFailure) -> UInt? {
    let found = try objects([
      (CryptokiConstant.class, CryptokiModule.word(CryptokiConstant.privateKeyClass)),
      (CryptokiConstant.id, id),
    ])
    guard found.count < 2 else { throw CryptokiFailure(reason: "it finds several keys with one id") }
    return found.first
  }

  /// The value of an attribute; `nil` when the token does not know it.
  func value(of type: UInt, _ object: UInt, limit: Int) throws(CryptokiFailure) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    var length: UInt = 0
    let code = bytes.withUnsafeMutableBytes { buffer in
      var attribute = CryptokiModule.Attribute(type: type, value: buffer.baseAddress, length: UInt(limit))
      let code = withUnsafeMutableBytes(of: &attribute) { pointer in
        pointer.baseAddress.map { module.getAttributeValue(handle, object, $0, 1) }
      }
      length = attribute.length
      return code
    }
    if let code,
      [CryptokiModule.Return.attributeTypeInvalid, CryptokiModule.Return.attributeSensitive].contains(code)
    {
      return nil
    }
    try CryptokiFailure.check(code ?? CryptokiModule.Return.ok)
    guard length <= UInt(limit) else {
      throw CryptokiFailure(reason: "an attribute of the key has a length that is not possible")
    }
    return Array(bytes.prefix(Int(length)))
  }

  /// A `CK_BBOOL`; `nil` when the token does not know it.
  func flag(_ type: UInt, of object: UInt) throws(CryptokiFailure) -> Bool? {
    guard let bytes = try value(of: type, object, limit: 8) else { return nil }
    guard bytes == [0] || bytes == [1] else {
      throw CryptokiFailure(reason: "an attribute of the key that is true or false is neither")
    }
    return bytes == [1]
  }

  /// Removes the private and the public object with the id `id`.
  func destroyObjects(id: [UInt8]) throws(CryptokiFailure) {
    for objectClass in [CryptokiConstant.privateKeyClass, CryptokiConstant.publicKeyClass] {
      let found = try objects([
        (CryptokiConstant.class, CryptokiModule.word(objectClass)), (CryptokiConstant.id, id),
      ])
      for object in found { try CryptokiFailure.check(module.destroyObject(handle, object)) }
    }
  }

  // MARK: Signing

  /// The signature of `input` by the private key `object`, `r ‖ s`, which `publicKey` verifies.
  func signature(
    of input: [UInt8], by object: UInt, _ publicKey: P256.Signing.PublicKey, tag: String
  ) throws -> [UInt8] {
    let hash = SHA256.hash(data: input)
    let digest = Array(hash)
    let asksAgain = try flag(CryptokiConstant.alwaysAuthenticate, of: object) ?? false
    var mechanism = CryptokiModule.Attribute(type: CryptokiConstant.ecdsa, value: nil, length: 0)
    try CryptokiFailure.check(module.signInit(handle, &mechanism, object))
    // CKU_CONTEXT_SPECIFIC
    if asksAgain { try Self.checkPIN(module.login(handle, 2, pin.bytes, UInt(pin.bytes.count)), tag: tag) }
    var bytes = [UInt8](repeating: 0, count: 512)
    var count = UInt(bytes.count)
    try CryptokiFailure.check(module.sign(handle, digest, UInt(digest.count), &bytes, &count))
    guard count == 64 else { throw CryptokiFailure(reason: "its signature has \(count) bytes, not 64") }
    let raw = Array(bytes.prefix(64))
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
      publicKey.isValidSignature(signature, for: hash)
    else { throw CryptokiFailure(reason: "its signature does not verify with the key's public half") }
    return raw
  }
}
