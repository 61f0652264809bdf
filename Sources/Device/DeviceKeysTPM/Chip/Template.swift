internal import CTSS2

/// The public areas that keys are made from. All are ECC P-256 with SHA-256 names, and none leaves its chip.
enum Template {
  private static let neverLeaves =
    TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN
    | TPMA_OBJECT_USERWITHAUTH

  /// The parent of all keys: an owner's storage key (TCG TPM v2.0 Provisioning Guidance §7.5.1). The same chip makes the
  /// same key from it every time, until it is cleared.
  static var storage: TPM2B_PUBLIC {
    var area = ecc(
      neverLeaves | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT, scheme: TPM2_ALG_NULL)
    area.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_AES
    area.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
    area.publicArea.parameters.eccDetail.symmetric.mode.aes = TPM2_ALG_CFB
    return area
  }

  /// Which attributes a device key has. The chip counts wrong PINs only of objects without noDA; keys without a PIN have
  /// it, so that other keys' wrong PINs do not lock them.
  static func deviceKeyAttributes(hasPIN: Bool) -> TPMA_OBJECT {
    neverLeaves | TPMA_OBJECT_SIGN_ENCRYPT | (hasPIN ? 0 : TPMA_OBJECT_NODA)
  }

  /// A key of the device.
  static func deviceKey(hasPIN: Bool) -> TPM2B_PUBLIC {
    ecc(deviceKeyAttributes(hasPIN: hasPIN), scheme: TPM2_ALG_ECDSA)
  }

  /// The attestation key: restricted, so it signs only what the chip itself says (Part 1 §25.1.2).
  static var attestationKey: TPM2B_PUBLIC {
    ecc(
      neverLeaves | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_SIGN_ENCRYPT,
      scheme: TPM2_ALG_ECDSA)
  }

  private static func ecc(_ attributes: TPMA_OBJECT, scheme: TPM2_ALG_ID) -> TPM2B_PUBLIC {
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
}
