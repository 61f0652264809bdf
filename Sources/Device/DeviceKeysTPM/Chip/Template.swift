internal import CTSS2

/// The public areas that keys are made from. All have SHA-256 names, all our own keys are ECC P-256, and no key leaves its chip.
enum Template {
  private static let neverLeaves =
    TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN
    | TPMA_OBJECT_USERWITHAUTH

  /// The parent of all keys: an owner's storage key (TCG TPM v2.0 Provisioning Guidance §7.5.1). The same chip makes the
  /// same key from it every time, until it is cleared.
  static var storage: TPM2B_PUBLIC {
    var area = ecc(
      neverLeaves | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT, scheme: TPM2_ALG_NULL)
    area.publicArea.parameters.eccDetail.symmetric = aes128
    return area
  }

  /// The attributes of a device key. The chip counts wrong PINs only for objects without noDA. Keys without a PIN have noDA, so that other
  /// keys' wrong PINs do not lock them: 32 random bytes need no counting.
  static func deviceKeyAttributes(hasPIN: Bool) -> TPMA_OBJECT {
    neverLeaves | TPMA_OBJECT_SIGN_ENCRYPT | (hasPIN ? 0 : TPMA_OBJECT_NODA)
  }

  /// A device key. Its scheme is given with each signature, because some WebAuthn relying parties that were written for other systems'
  /// keys, such as python's `fido2` and `webauthn`, cannot read a public area with a fixed one.
  static func deviceKey(hasPIN: Bool) -> TPM2B_PUBLIC {
    ecc(deviceKeyAttributes(hasPIN: hasPIN), scheme: TPM2_ALG_NULL)
  }

  /// A secret key for HMAC-SHA-256, which the chip makes. It has no authorisation value: see ``MACKeyStore``.
  static var macKey: TPM2B_PUBLIC {
    var area = area(TPM2_ALG_KEYEDHASH, deviceKeyAttributes(hasPIN: false))
    area.publicArea.parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_HMAC
    area.publicArea.parameters.keyedHashDetail.scheme.details.hmac.hashAlg = TPM2_ALG_SHA256
    return area
  }

  /// The attestation key: restricted, so it signs only statements of the chip itself (Part 1 §25.1.2).
  static var attestationKey: TPM2B_PUBLIC {
    ecc(
      neverLeaves | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_SIGN_ENCRYPT,
      scheme: TPM2_ALG_ECDSA)
  }

  /// The endorsement key, which identifies the chip to its maker: template L-2 or L-1 (TCG EK Credential Profile for TPM 2.0 §B.3).
  static func endorsementKey(_ kind: EndorsementKeyKind) -> TPM2B_PUBLIC {
    let attributes =
      (neverLeaves & ~TPMA_OBJECT_USERWITHAUTH) | TPMA_OBJECT_ADMINWITHPOLICY | TPMA_OBJECT_RESTRICTED
      | TPMA_OBJECT_DECRYPT
    var area: TPM2B_PUBLIC
    switch kind {
    case .ecc:
      area = ecc(attributes, scheme: TPM2_ALG_NULL)
      area.publicArea.parameters.eccDetail.symmetric = aes128
      area.publicArea.unique.ecc.x = TPM2B_ECC_PARAMETER([UInt8](repeating: 0, count: 32))
      area.publicArea.unique.ecc.y = TPM2B_ECC_PARAMETER([UInt8](repeating: 0, count: 32))
    case .rsa:
      area = self.area(TPM2_ALG_RSA, attributes)
      area.publicArea.parameters.rsaDetail.symmetric = aes128
      area.publicArea.parameters.rsaDetail.scheme.scheme = TPM2_ALG_NULL
      area.publicArea.parameters.rsaDetail.keyBits = 2048
      area.publicArea.unique.rsa = TPM2B_PUBLIC_KEY_RSA([UInt8](repeating: 0, count: 256))
    }
    area.publicArea.authPolicy = TPM2B_DIGEST(whoKnowsTheEndorsementPassword)
    return area
  }

  /// PolicyA of that profile: TPM2_PolicySecret with the endorsement hierarchy.
  private static let whoKnowsTheEndorsementPassword: [UInt8] = [
    0x83, 0x71, 0x97, 0x67, 0x44, 0x84, 0xb3, 0xf8, 0x1a, 0x90, 0xcc, 0x8d, 0x46, 0xa5, 0xd7, 0x24,
    0xfd, 0x52, 0xd7, 0x6e, 0x06, 0x52, 0x0b, 0x64, 0xf2, 0xa1, 0xda, 0x1b, 0x33, 0x14, 0x69, 0xaa,
  ]

  private static var aes128: TPMT_SYM_DEF_OBJECT {
    var symmetric = TPMT_SYM_DEF_OBJECT()
    symmetric.algorithm = TPM2_ALG_AES
    symmetric.keyBits.aes = 128
    symmetric.mode.aes = TPM2_ALG_CFB
    return symmetric
  }

  private static func area(_ type: TPM2_ALG_ID, _ attributes: TPMA_OBJECT) -> TPM2B_PUBLIC {
    var area = TPM2B_PUBLIC()
    area.publicArea.type = type
    area.publicArea.nameAlg = TPM2_ALG_SHA256
    area.publicArea.objectAttributes = attributes
    return area
  }

  private static func ecc(_ attributes: TPMA_OBJECT, scheme: TPM2_ALG_ID) -> TPM2B_PUBLIC {
    var area = area(TPM2_ALG_ECC, attributes)
    area.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_NULL
    area.publicArea.parameters.eccDetail.scheme.scheme = scheme
    area.publicArea.parameters.eccDetail.scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
    area.publicArea.parameters.eccDetail.curveID = TPM2_ECC_NIST_P256
    area.publicArea.parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL
    return area
  }
}

/// The endorsement keys that makers certify and that fit our templates.
enum EndorsementKeyKind: CaseIterable {
  /// P-256.
  case ecc
  /// 2048 bits.
  case rsa

  /// The NV index of the maker's certificate (TCG EK Credential Profile for TPM 2.0 §2.2.1.4).
  var certificateIndex: TPM2_HANDLE {
    switch self {
    case .ecc: 0x01c0_000a
    case .rsa: 0x01c0_0002
    }
  }
}
