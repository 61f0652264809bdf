internal import CTSS2

/// The endorsement keys that makers certify and that fit our templates.
enum EndorsementKeyKind: CaseIterable {
  /// P-256.
  case ecc
  /// 2048 bits.
  case rsa

  /// Where the maker puts its certificate (TCG EK Credential Profile for TPM 2.0 §2.2.1.4).
  var certificateIndex: TPM2_HANDLE {
    switch self {
    case .ecc: 0x01c0_000a
    case .rsa: 0x01c0_0002
    }
  }
}
