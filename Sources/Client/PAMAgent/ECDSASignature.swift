internal import Crypto

/// The signature format of the PAM module.
enum ECDSASignature {
  /// Converts `r ‖ s`, the format of device keys, to DER (RFC 3279 §2.2.3).
  static func der(of raw: [UInt8]) throws -> [UInt8] {
    Array(try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation)
  }

  /// Whether `der` is a signature of `message` by the key `point`, `04 ‖ x ‖ y`.
  static func isValid(_ der: [UInt8], of message: [UInt8], by point: [UInt8]) -> Bool {
    guard let key = try? P256.Signing.PublicKey(x963Representation: point),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
    else { return false }
    return key.isValidSignature(signature, for: message)
  }
}
