internal import CTSS2

/// The commands that device keys need (TPM 2.0 Library, Part 3).
extension TPMConnection {
  /// A key that is loaded.
  struct LoadedKey {
    let handle: ESYS_TR
    let publicArea: PublicArea
  }

  /// TPM2_CreatePrimary: makes the key of `template` in a hierarchy without password. The result is the same key each time.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when the answer is a key of another kind.
  func createPrimary(_ template: TPM2B_PUBLIC, in hierarchy: ESYS_TR) throws -> LoadedKey {
    var sensitive = TPM2B_SENSITIVE_CREATE()
    var template = template
    var outsideInfo = TPM2B_DATA()
    var creationPCR = TPML_PCR_SELECTION()
    var handle = ESYS_TR_NONE
    let publicArea = try take("TPM2_CreatePrimary") {
      Esys_CreatePrimary(
        esys, hierarchy, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template, &outsideInfo,
        &creationPCR, &handle, &$0, nil, nil, nil)
    }
    let key = LoadedKey(handle: adopt(handle), publicArea: try PublicArea(publicArea))
    try key.publicArea.requireKind(of: template)
    return key
  }

  /// TPM2_StartAuthSession: an HMAC session whose secret only the holder of `salt`'s private key can know, so that encrypted parameters
  /// cannot be read on the bus (Part 1 §19.6.8). The caller has to make sure that `salt` is a key of the chip: somebody who can change
  /// messages on the bus can substitute another.
  func startSession(saltedWith salt: LoadedKey) throws -> ESYS_TR {
    var symmetric = TPMT_SYM_DEF()
    symmetric.algorithm = TPM2_ALG_AES
    symmetric.keyBits.aes = 128
    symmetric.mode.aes = TPM2_ALG_CFB
    return try startSession(TPM2_SE_HMAC, salt: salt.handle, symmetric: symmetric)
  }

  private func startSession(
    _ type: TPM2_SE, salt: ESYS_TR, symmetric: TPMT_SYM_DEF
  ) throws -> ESYS_TR {
    var symmetric = symmetric
    var session = ESYS_TR_NONE
    try TPMFailure.check(
      "TPM2_StartAuthSession",
      Esys_StartAuthSession(
        esys, salt, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, nil, type, &symmetric,
        TPM2_ALG_SHA256, &session))
    return adopt(session)
  }

  /// Makes the next command with `session` encrypt its first parameter and, if `response`, the response's.
  func encrypt(_ session: ESYS_TR, response: Bool) throws {
    guard session != ESYS_TR_PASSWORD else { return }
    let attributes =
      TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT | (response ? TPMA_SESSION_ENCRYPT : 0)
    try TPMFailure.check(
      "Encrypting a session",
      Esys_TRSess_SetAttributes(esys, session, TPMA_SESSION(attributes), TPMA_SESSION(0xff)))
  }

  /// TPM2_Create: makes a new key under `parent`. The authorisation value travels encrypted unless `session` is the password session.
  ///
  /// - Returns: The key as blobs that only this chip can read.
  func create(
    _ template: TPM2B_PUBLIC, under parent: LoadedKey, authorization: KeyAuthorization?, session: ESYS_TR
  ) throws -> TPMKeyBlobs {
    var sensitive = TPM2B_SENSITIVE_CREATE()
    if let authorization { sensitive.sensitive.userAuth = authorization.authValue }
    var template = template
    var outsideInfo = TPM2B_DATA()
    var creationPCR = TPML_PCR_SELECTION()
    var publicArea: UnsafeMutablePointer<TPM2B_PUBLIC>?
    try encrypt(session, response: true)
    var privatePart = try take("TPM2_Create") {
      Esys_Create(
        esys, parent.handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template, &outsideInfo,
        &creationPCR, &$0, &publicArea, nil, nil, nil)
    }
    let area = try PublicArea(try take(publicArea))
    try area.requireKind(of: template)
    return TPMKeyBlobs(
      publicBlob: area.sized, privateBlob: try Self.marshalled(&privatePart),
      parentName: parent.publicArea.name)
  }

  /// TPM2_ObjectChangeAuth: returns the same key with another authorisation value. The loaded key keeps the old one.
  ///
  /// - Returns: TPM2B_PRIVATE with the new value.
  func changeAuthorization(
    of key: LoadedKey, under parent: LoadedKey, to authorization: KeyAuthorization, session: ESYS_TR
  ) throws -> [UInt8] {
    var value = authorization.authValue
    try encrypt(session, response: true)
    var privatePart = try take("TPM2_ObjectChangeAuth") {
      Esys_ObjectChangeAuth(
        esys, key.handle, parent.handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &value, &$0)
    }
    return try Self.marshalled(&privatePart)
  }

  private static func marshalled(_ privatePart: UnsafePointer<TPM2B_PRIVATE>) throws -> [UInt8] {
    try Marshalling.bytes(of: privatePart, Tss2_MU_TPM2B_PRIVATE_Marshal)
  }

  /// TPM2_Load: brings a key that ``create(_:under:authorization:session:)`` made back into the chip.
  func load(_ blobs: TPMKeyBlobs, under parent: LoadedKey) throws -> LoadedKey {
    let publicArea = try PublicArea(sized: blobs.publicBlob)
    var privatePart = try Marshalling.read(
      blobs.privateBlob, into: TPM2B_PRIVATE(), Tss2_MU_TPM2B_PRIVATE_Unmarshal)
    var area = publicArea.value
    var handle = ESYS_TR_NONE
    try TPMFailure.check(
      "TPM2_Load",
      Esys_Load(
        esys, parent.handle, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &privatePart, &area, &handle))
    return LoadedKey(handle: adopt(handle), publicArea: publicArea)
  }

  /// Tells ESAPI the authorisation value of `key`; it is not sent to the chip.
  func setAuthorization(_ authorization: KeyAuthorization, of key: LoadedKey) throws {
    var value = authorization.authValue
    try TPMFailure.check("Setting an authorisation value", Esys_TR_SetAuth(esys, key.handle, &value))
  }

  /// TPM2_PolicySecret in a trial session: the chip only checks the authorisation value of `key`.
  func proveAuthorization(of key: LoadedKey, session: ESYS_TR) throws {
    let policy = try startPolicySession(TPM2_SE_TRIAL)
    try encrypt(session, response: false)
    try policySecret(of: key.handle, in: policy, authorizedBy: session)
    try flush(policy)
  }

  /// Starts a session of a type that only evaluates a policy: it encrypts nothing.
  func startPolicySession(_ type: TPM2_SE) throws -> ESYS_TR {
    var symmetric = TPMT_SYM_DEF()
    symmetric.algorithm = TPM2_ALG_NULL
    return try startSession(type, salt: ESYS_TR_NONE, symmetric: symmetric)
  }

  /// TPM2_PolicySecret: satisfies a policy by the authorisation value of `object`.
  func policySecret(of object: ESYS_TR, in policy: ESYS_TR, authorizedBy session: ESYS_TR) throws {
    var nonce = TPM2B_NONCE()
    var parameters = TPM2B_DIGEST()
    var reference = TPM2B_NONCE()
    try TPMFailure.check(
      "TPM2_PolicySecret",
      Esys_PolicySecret(
        esys, object, policy, session, ESYS_TR_NONE, ESYS_TR_NONE, &nonce, &parameters, &reference, 0, nil,
        nil))
  }

  /// TPM2_Sign: ECDSA over a SHA-256 `digest` by a key that is not restricted.
  ///
  /// - Returns: r ‖ s, 32 bytes each.
  func sign(_ digest: [UInt8], with key: LoadedKey, session: ESYS_TR) throws -> [UInt8] {
    var digest = TPM2B_DIGEST(digest)
    var scheme = Self.ecdsaWithSHA256
    // An empty ticket: only restricted keys ask for proof of where a digest comes from.
    var noTicket = TPMT_TK_HASHCHECK()
    noTicket.tag = TPM2_ST_HASHCHECK
    noTicket.hierarchy = TPM2_RH_NULL
    try encrypt(session, response: false)
    return try take("TPM2_Sign") {
      Esys_Sign(esys, key.handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &digest, &scheme, &noTicket, &$0)
    }.raw
  }

  static var ecdsaWithSHA256: TPMT_SIG_SCHEME {
    var scheme = TPMT_SIG_SCHEME()
    scheme.scheme = TPM2_ALG_ECDSA
    scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
    return scheme
  }
}

extension TPMT_SIGNATURE {
  /// r ‖ s.
  fileprivate var raw: [UInt8] { signature.ecdsa.signatureR.padded + signature.ecdsa.signatureS.padded }
}
