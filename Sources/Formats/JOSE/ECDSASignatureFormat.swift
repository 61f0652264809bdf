/// The two forms of an ECDSA P-256 signature: ASN.1 DER as platforms return it (RFC 3279 §2.2.3), and r ‖ s
/// as JOSE wants it (RFC 7518 §3.4).
public enum ECDSASignatureFormat {
  private static let size = 32

  /// r ‖ s, each 32 bytes, from `SEQUENCE { INTEGER r, INTEGER s }` in DER.
  ///
  /// An integer may be shorter than 32 bytes, and may have leading zeros: those are dropped, for some
  /// hardware pads.
  ///
  /// - Throws: ``JOSEError/Code/malformed`` for anything but one such sequence: trailing bytes, long-form
  ///   lengths (a P-256 signature never needs them), negative integers, integers above 32 bytes, zero.
  public static func raw(fromDER der: [UInt8]) throws(JOSEError) -> [UInt8] {
    var rest = der[...]
    guard rest.popFirst() == 0x30, let length = rest.popFirst(), length < 0x80, Int(length) == rest.count
    else {
      throw JOSEError(.malformed, "The signature is no DER sequence.")
    }
    let r = try integer(&rest)
    let s = try integer(&rest)
    guard rest.isEmpty else { throw JOSEError(.malformed, "The DER signature has trailing bytes.") }
    return r + s
  }

  private static func integer(_ rest: inout ArraySlice<UInt8>) throws(JOSEError) -> [UInt8] {
    guard rest.popFirst() == 0x02, let length = rest.popFirst(), length > 0, length < 0x80,
      Int(length) <= rest.count
    else { throw JOSEError(.malformed, "The DER signature lacks an integer.") }
    var value = rest.prefix(Int(length))
    rest = rest.dropFirst(Int(length))
    let first = value[value.startIndex]
    guard first < 0x80 else { throw JOSEError(.malformed, "The DER signature has a negative integer.") }
    value = value.drop { $0 == 0 }
    guard !value.isEmpty else { throw JOSEError(.malformed, "The DER signature has a zero.") }
    guard value.count <= size else {
      throw JOSEError(.malformed, "The DER signature has an integer above 256 bits.")
    }
    return [UInt8](repeating: 0, count: size - value.count) + value
  }

  /// DER from r ‖ s.
  ///
  /// - Throws: ``JOSEError/Code/malformed`` unless there are 64 bytes with both halves above zero.
  public static func der(fromRaw raw: [UInt8]) throws(JOSEError) -> [UInt8] {
    guard raw.count == 2 * size else {
      throw JOSEError(.malformed, "A raw P-256 signature has 64 bytes, not \(raw.count).")
    }
    var body: [UInt8] = []
    for half in [raw[..<size], raw[size...]] {
      let digits = half.drop { $0 == 0 }
      guard let first = digits.first else {
        throw JOSEError(.malformed, "Half of the raw signature is zero.")
      }
      let sign: [UInt8] = first >= 0x80 ? [0] : []
      body += [0x02, UInt8(digits.count + sign.count)] + sign + digits
    }
    return [0x30, UInt8(body.count)] + body
  }
}
