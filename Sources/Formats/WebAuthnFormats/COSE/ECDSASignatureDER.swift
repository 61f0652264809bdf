/// ECDSA signatures as WebAuthn carries them: `SEQUENCE { INTEGER r, INTEGER s }` in DER (RFC 3279 §2.2.3, WebAuthn L3 §6.5.5), and their
/// raw form r ‖ s, in which each half is as long as the curve's field.
///
/// Strict where JOSE's converter is lenient: one signature has one encoding, for what is hashed or compared later.
public enum ECDSASignatureDER {
  /// r ‖ s of a signature on `curve`.
  ///
  /// - Throws: ``ECDSASignatureError`` for anything but the one DER encoding of two numbers from 1 to n − 1.
  public static func raw(from der: [UInt8], curve: COSECurve) throws(ECDSASignatureError) -> [UInt8] {
    var rest = der[...]
    guard rest.popFirst() == 0x30 else { throw ECDSASignatureError(.malformed) }
    guard try length(&rest) == rest.count else { throw ECDSASignatureError(.wrongLength) }
    let r = try integer(&rest, curve)
    let s = try integer(&rest, curve)
    guard rest.isEmpty else { throw ECDSASignatureError(.wrongLength) }
    return r + s
  }

  /// DER from r ‖ s.
  ///
  /// - Throws: ``ECDSASignatureError`` unless both halves have the curve's length and are from 1 to n − 1.
  public static func der(fromRaw raw: [UInt8], curve: COSECurve) throws(ECDSASignatureError) -> [UInt8] {
    let size = curve.fieldBytes
    guard raw.count == 2 * size else { throw ECDSASignatureError(.wrongLength) }
    var body: [UInt8] = []
    for half in [raw[..<size], raw[size...]] {
      let digits = half.drop { $0 == 0 }
      guard let first = digits.first, half.lexicographicallyPrecedes(curve.order) else {
        throw ECDSASignatureError(.outOfRange)
      }
      let sign: [UInt8] = first >= 0x80 ? [0] : []
      // At most 67 bytes, so one byte says the length.
      body += [0x02, UInt8(digits.count + sign.count)] + sign + digits
    }
    let length: [UInt8] = body.count < 0x80 ? [UInt8(body.count)] : [0x81, UInt8(body.count)]
    return [0x30] + length + body
  }

  /// A length of up to 255 in its shortest form: P-521 signatures need a second byte, no longer ones exist.
  private static func length(_ rest: inout ArraySlice<UInt8>) throws(ECDSASignatureError) -> Int {
    guard let first = rest.popFirst() else { throw ECDSASignatureError(.malformed) }
    if first < 0x80 { return Int(first) }
    guard first == 0x81, let second = rest.popFirst(), second >= 0x80 else {
      throw ECDSASignatureError(.malformed)
    }
    return Int(second)
  }

  private static func integer(
    _ rest: inout ArraySlice<UInt8>, _ curve: COSECurve
  ) throws(ECDSASignatureError) -> [UInt8] {
    guard rest.popFirst() == 0x02, let length = rest.popFirst(), length > 0, length < 0x80,
      Int(length) <= rest.count
    else { throw ECDSASignatureError(.malformed) }
    var digits = rest.prefix(Int(length))
    rest = rest.dropFirst(Int(length))
    let first = digits[digits.startIndex]
    guard first < 0x80 else { throw ECDSASignatureError(.negative) }
    if first == 0 {
      digits = digits.dropFirst()
      guard let next = digits.first else { throw ECDSASignatureError(.outOfRange) }
      guard next >= 0x80 else { throw ECDSASignatureError(.notMinimal) }
    }
    guard digits.count <= curve.fieldBytes else { throw ECDSASignatureError(.outOfRange) }
    let number = [UInt8](repeating: 0, count: curve.fieldBytes - digits.count) + digits
    guard number.lexicographicallyPrecedes(curve.order) else { throw ECDSASignatureError(.outOfRange) }
    return number
  }
}

/// Why bytes are no ECDSA signature.
public struct ECDSASignatureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// No DER sequence of two integers, or a length in other than its shortest form.
    case malformed
    /// Bytes are missing or left over.
    case wrongLength
    /// An integer with a leading zero that it does not need.
    case notMinimal
    /// An integer below zero.
    case negative
    /// An integer that is zero, or not below the order of the curve.
    case outOfRange
  }

  public let code: Code

  init(_ code: Code) { self.code = code }

  public var description: String { "The bytes are no ECDSA signature: \(code.rawValue)" }
}
