internal import Bytes
internal import Crypto
internal import CTSS2
internal import DeviceKeys

/// The authorisation value of a key, as the chip knows it. Never printed; wiped when the last copy is released.
struct KeyAuthorization: Sendable, Redacted {
  private let value: SymmetricKey

  /// The value that `unlock` brings; `nil` when it brings none.
  init?(_ unlock: KeyUnlock) {
    switch unlock {
    case .pin(let pin): self.init(pin)
    case .authorization(let value): self.init(value)
    case .nothing, .systemPrompt: return nil
    }
  }

  /// SHA-256 of a label and the PIN, because the chip accepts at most 32 bytes. Nobody can try PINs against it: it is stored only in the
  /// chip's encrypted blob.
  init(_ pin: PIN) {
    var hash = SHA256()
    hash.update(data: Array("sealring TPM key PIN v1\0".utf8))
    hash.update(data: pin.bytes)
    value = SymmetricKey(data: hash.finalize())
  }

  /// The 32 random bytes themselves.
  init(_ authorization: AuthorizationValue) {
    value = authorization.withBytes { SymmetricKey(data: $0) }
  }

  /// The value as the chip takes it. It ignores zeros at the end (Part 1 §17.6.4.3), so both sides leave them out.
  var authValue: TPM2B_AUTH {
    value.withUnsafeBytes { bytes in
      TPM2B_AUTH(bytes.prefix((bytes.lastIndex { $0 != 0 } ?? -1) + 1))
    }
  }
}
