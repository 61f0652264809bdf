import Crypto
import CTPM

/// A signature by a TPM with nothing but the commands that it takes, written straight down: what Sealring cannot be
/// faster than.
///
/// The same commands as the store's, in the same order: make the storage key, start a session salted with it, load the
/// key, sign with the PIN's value in the encrypted session, flush all. The connection is opened and closed for each by
/// tpm2-tss's own means, as a program must that shares the chip.
struct BareTPM {
  private let tcti: String
  private let publicArea: TPM2B_PUBLIC
  private let privatePart: TPM2B_PRIVATE

  private static let fixed =
    TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN
    | TPMA_OBJECT_USERWITHAUTH

  /// Makes a key.
  init(tcti: String) throws {
    self.tcti = tcti
    (publicArea, privatePart) = try Self.connected(to: tcti) { esys in
      let parent = try Self.storageKey(esys)
      defer { Esys_FlushContext(esys, parent) }
      let session = try Self.session(esys, salt: parent)
      defer { Esys_FlushContext(esys, session) }
      var sensitive = TPM2B_SENSITIVE_CREATE()
      sensitive.sensitive.userAuth = Self.authorization
      var template = Self.template(Self.fixed | TPMA_OBJECT_SIGN_ENCRYPT, TPM2_ALG_ECDSA)
      var outside = TPM2B_DATA()
      var registers = TPML_PCR_SELECTION()
      var privatePart: UnsafeMutablePointer<TPM2B_PRIVATE>?
      var publicArea: UnsafeMutablePointer<TPM2B_PUBLIC>?
      try check(
        Esys_Create(
          esys, parent, session, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template, &outside, &registers,
          &privatePart, &publicArea, nil, nil, nil))
      defer {
        Esys_Free(privatePart)
        Esys_Free(publicArea)
      }
      guard let publicArea, let privatePart else { throw TPMRefused(code: 0) }
      return (publicArea.pointee, privatePart.pointee)
    }
  }

  /// Signs SHA-256 of `bytes`.
  func sign(_ bytes: [UInt8]) throws {
    try Self.connected(to: tcti) { esys in
      let parent = try Self.storageKey(esys)
      let session = try Self.session(esys, salt: parent)
      var (publicArea, privatePart) = (publicArea, privatePart)
      var key = ESYS_TR_NONE
      try check(
        Esys_Load(
          esys, parent, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &privatePart, &publicArea, &key))
      try check(Esys_FlushContext(esys, parent))
      var authorization = Self.authorization
      try check(Esys_TR_SetAuth(esys, key, &authorization))
      var digest = TPM2B_DIGEST()
      digest.size = 32
      withUnsafeMutableBytes(of: &digest.buffer) { $0.copyBytes(from: Array(SHA256.hash(data: bytes))) }
      var scheme = TPMT_SIG_SCHEME()
      scheme.scheme = TPM2_ALG_ECDSA
      scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
      var ticket = TPMT_TK_HASHCHECK()
      ticket.tag = TPM2_ST_HASHCHECK
      ticket.hierarchy = TPM2_RH_NULL
      var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
      try check(
        Esys_Sign(
          esys, key, session, ESYS_TR_NONE, ESYS_TR_NONE, &digest, &scheme, &ticket, &signature))
      Esys_Free(signature)
      try check(Esys_FlushContext(esys, key))
      try check(Esys_FlushContext(esys, session))
    }
  }

  /// Opens and closes the connection, and says nothing.
  func connect() throws { try Self.connected(to: tcti) { _ in } }

  private static func connected<Result>(
    to tcti: String, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    var connection: OpaquePointer?
    try check(Tss2_TctiLdr_Initialize(tcti, &connection))
    defer { Tss2_TctiLdr_Finalize(&connection) }
    var esys: OpaquePointer?
    try check(Esys_Initialize(&esys, connection, nil))
    defer { Esys_Finalize(&esys) }
    guard let esys else { throw TPMRefused(code: 0) }
    return try body(esys)
  }

  private static func storageKey(_ esys: OpaquePointer) throws -> ESYS_TR {
    var sensitive = TPM2B_SENSITIVE_CREATE()
    var template = template(
      fixed | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT, TPM2_ALG_NULL)
    template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_AES
    template.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
    template.publicArea.parameters.eccDetail.symmetric.mode.aes = TPM2_ALG_CFB
    var outside = TPM2B_DATA()
    var registers = TPML_PCR_SELECTION()
    var handle = ESYS_TR_NONE
    try check(
      Esys_CreatePrimary(
        esys, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template,
        &outside, &registers, &handle, nil, nil, nil, nil))
    return handle
  }

  private static func session(_ esys: OpaquePointer, salt: ESYS_TR) throws -> ESYS_TR {
    var symmetric = TPMT_SYM_DEF()
    symmetric.algorithm = TPM2_ALG_AES
    symmetric.keyBits.aes = 128
    symmetric.mode.aes = TPM2_ALG_CFB
    var session = ESYS_TR_NONE
    try check(
      Esys_StartAuthSession(
        esys, salt, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, nil, TPM2_SE_HMAC, &symmetric,
        TPM2_ALG_SHA256, &session))
    try check(
      Esys_TRSess_SetAttributes(
        esys, session, TPMA_SESSION(TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT), 0xff))
    return session
  }

  private static func template(_ attributes: TPMA_OBJECT, _ scheme: TPM2_ALG_ID) -> TPM2B_PUBLIC {
    var area = TPM2B_PUBLIC()
    area.publicArea.type = TPM2_ALG_ECC
    area.publicArea.nameAlg = TPM2_ALG_SHA256
    area.publicArea.objectAttributes = attributes
    area.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_NULL
    area.publicArea.parameters.eccDetail.scheme.scheme = scheme
    area.publicArea.parameters.eccDetail.scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
    area.publicArea.parameters.eccDetail.curveID = TPM2_ECC_NIST_P256
    area.publicArea.parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL
    return area
  }

  private static var authorization: TPM2B_AUTH {
    var value = TPM2B_AUTH()
    value.size = 32
    withUnsafeMutableBytes(of: &value.buffer) { $0.copyBytes(from: [UInt8](repeating: 7, count: 32)) }
    return value
  }
}

private struct TPMRefused: Error {
  let code: TSS2_RC
}

private func check(_ code: TSS2_RC) throws {
  guard code == TSS2_RC_SUCCESS else { throw TPMRefused(code: code) }
}
