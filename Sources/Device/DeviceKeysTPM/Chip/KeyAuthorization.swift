internal import Crypto
internal import CTSS2
internal import DeviceKeys

/// The authorisation value of a key in the chip. Never printed; wiped when the last copy goes.
///
/// For a PIN it is SHA-256 over a label and the PIN, because the chip takes no more than 32 bytes. Nobody can try PINs
/// against it: it is stored in the chip's encrypted blob only.
struct KeyAuthorization: Sendable {
  private let value: SymmetricKey

  init(_ pin: PIN) {
    var hash = SHA256()
    hash.update(data: Array("sealring TPM key PIN v1\0".utf8))
    hash.update(data: pin.bytes)
    value = SymmetricKey(data: hash.finalize())
  }

  init(_ authorization: AuthorizationValue) {
    value = authorization.withBytes { SymmetricKey(data: $0) }
  }

  /// What `unlock` brings; `nil` when it is nothing.
  init?(_ unlock: KeyUnlock) {
    switch unlock {
    case .pin(let pin): self.init(pin)
    case .authorization(let authorization): self.init(authorization)
    case .nothing, .systemPrompt: return nil
    }
  }

  /// The value as the chip takes it. It ignores zeros at the end (Part 1 §17.6.4.3), so both sides leave them out.
  var authValue: TPM2B_AUTH {
    value.withUnsafeBytes { bytes in
      TPM2B_AUTH(bytes.prefix((bytes.lastIndex { $0 != 0 } ?? -1) + 1))
    }
  }
}
