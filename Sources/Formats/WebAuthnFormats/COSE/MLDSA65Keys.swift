internal import Crypto

/// ML-DSA-65 (FIPS 204) by swift-crypto, which has it everywhere except on Apple's systems before version 26.
enum MLDSA65Keys {
  static let keyBytes = 1952
  static let signatureBytes = 3309

  static var isAvailable: Bool {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { true } else { false }
  }

  static func isKey(_ key: [UInt8]) -> Bool {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return false }
    return (try? MLDSA65.PublicKey(rawRepresentation: key)) != nil
  }

  /// Pure ML-DSA with an empty context, as COSE's algorithm is defined.
  static func isValid(_ signature: [UInt8], over message: [UInt8], by key: [UInt8]) -> Bool {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
      signature.count == signatureBytes, let key = try? MLDSA65.PublicKey(rawRepresentation: key)
    else { return false }
    return key.isValidSignature(signature, for: message)
  }
}
