/// The two forms of an ECDSA signature: `SEQUENCE { INTEGER r, INTEGER s }` in DER, which platforms and WebAuthn use (RFC 3279 §2.2.3,
/// WebAuthn L3 §6.5.5), and r ‖ s, each half as long as the curve's field, which JOSE uses (RFC 7518 §3.4).
///
/// Reading is strict: each signature has one encoding only, because it may be hashed or compared later.
public enum ECDSASignatureFormat {
  /// A curve of FIPS 186-4.
  public enum Curve: Sendable, Hashable, CaseIterable {
    case p256
    case p384
    case p521

    /// Bytes of one half of a raw signature: 32, 48, 66.
    public var fieldBytes: Int { order.count }

    /// The number of points n, big-endian (FIPS 186-4 §D.1.2): r and s are smaller.
    var order: [UInt8] {
      switch self {
      case .p256: Self.orderP256
      case .p384: Self.orderP384
      case .p521: Self.orderP521
      }
    }

    private static let orderP256: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
      0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    private static let orderP384: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF,
      0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
    ]

    private static let orderP521: [UInt8] = [
      0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
      0xFF, 0xFA, 0x51, 0x86, 0x87, 0x83, 0xBF, 0x2F, 0x96, 0x6B, 0x7F, 0xCC, 0x01, 0x48, 0xF7, 0x09,
      0xA5, 0xD0, 0x3B, 0xB5, 0xC9, 0xB8, 0x89, 0x9C, 0x47, 0xAE, 0xBB, 0x6F, 0xB7, 0x1E, 0x91, 0x38,
      0x64, 0x09,
    ]
  }

  /// r ‖ s of a signature on `curve`.
  ///
  /// - Throws: ``JOSEError/Code/malformed`` unless it is the one DER encoding of two numbers from 1 to n − 1.
  public static func raw(fromDER der: [UInt8], curve: Curve = .p256) throws(JOSEError) -> [UInt8] {
    var rest = der[...]
    guard rest.popFirst() == 0x30 else { throw Fault.malformed.error }
    guard try length(&rest) == rest.count else { throw Fault.wrongLength.error }
    let r = try integer(&rest, curve)
    let s = try integer(&rest, curve)
    guard rest.isEmpty else { throw Fault.wrongLength.error }
    return r + s
  }

  /// DER from r ‖ s.
  ///
  /// - Throws: ``JOSEError/Code/malformed`` unless both halves have the curve's length and are from 1 to n − 1.
  public static func der(fromRaw raw: [UInt8], curve: Curve = .p256) throws(JOSEError) -> [UInt8] {
    let size = curve.fieldBytes
    guard raw.count == 2 * size else { throw Fault.wrongLength.error }
    var body: [UInt8] = []
    for half in [raw[..<size], raw[size...]] {
      let digits = half.drop { $0 == 0 }
      guard let first = digits.first, half.lexicographicallyPrecedes(curve.order) else {
        throw Fault.outOfRange.error
      }
      let sign: [UInt8] = first >= 0x80 ? [0] : []
      // At most 67 bytes, so one byte says the length.
      body += [0x02, UInt8(digits.count + sign.count)] + sign + digits
    }
    let length: [UInt8] = body.count < 0x80 ? [UInt8(body.count)] : [0x81, UInt8(body.count)]
    return [0x30] + length + body
  }

  /// A length of up to 255 in its shortest form: P-521 signatures need a second byte, and no signature is longer.
  private static func length(_ rest: inout ArraySlice<UInt8>) throws(JOSEError) -> Int {
    guard let first = rest.popFirst() else { throw Fault.malformed.error }
    if first < 0x80 { return Int(first) }
    guard first == 0x81, let second = rest.popFirst(), second >= 0x80 else { throw Fault.malformed.error }
    return Int(second)
  }

  private static func integer(_ rest: inout ArraySlice<UInt8>, _ curve: Curve) throws(JOSEError) -> [UInt8] {
    guard rest.popFirst() == 0x02, let length = rest.popFirst(), length > 0, length < 0x80,
      Int(length) <= rest.count
    else { throw Fault.malformed.error }
    var digits = rest.prefix(Int(length))
    rest = rest.dropFirst(Int(length))
    let first = digits[digits.startIndex]
    guard first < 0x80 else { throw Fault.negative.error }
    if first == 0 {
      digits = digits.dropFirst()
      guard let next = digits.first else { throw Fault.outOfRange.error }
      guard next >= 0x80 else { throw Fault.notMinimal.error }
    }
    guard digits.count <= curve.fieldBytes else { throw Fault.outOfRange.error }
    let number = [UInt8](repeating: 0, count: curve.fieldBytes - digits.count) + digits
    guard number.lexicographicallyPrecedes(curve.order) else { throw Fault.outOfRange.error }
    return number
  }

  /// What is wrong with bytes that are not a signature.
  private enum Fault: String {
    case malformed = "not a DER sequence of two integers, or a length is not in its shortest form"
    case wrongLength = "bytes are missing or left over"
    case notMinimal = "an integer has a leading zero that it does not need"
    case negative = "an integer is below zero"
    case outOfRange = "an integer is zero, or not below the order of the curve"

    var error: JOSEError { JOSEError(.malformed, "The bytes are not an ECDSA signature: \(rawValue).") }
  }
}
