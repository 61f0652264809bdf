extension CompactJwt {
  /// Why the DER form of a signature cannot be read.
  public enum ASN1Error: Error, Sendable {
    /// A number is longer than the curve's.
    case invalidFormat
    /// There is something else than a sequence of two integers.
    case unexpectedTag
    /// A length does not fit what follows.
    case lengthMismatch
  }
}

/// r ‖ s, each of `size` bytes, from the DER form of an ECDSA signature on any curve (RFC 7518 §3.4).
package func rawECDSASignature(fromDER der: [UInt8], size: Int) throws(CompactJwt.ASN1Error) -> [UInt8] {
  var rest = der[...]
  guard rest.popFirst() == 0x30 else { throw .unexpectedTag }
  guard let length = derLength(&rest), length == rest.count else { throw .lengthMismatch }
  let signature = try derInteger(&rest, size: size) + derInteger(&rest, size: size)
  guard rest.isEmpty else { throw .lengthMismatch }
  return signature
}

private func derLength(_ rest: inout ArraySlice<UInt8>) -> Int? {
  guard let first = rest.popFirst() else { return nil }
  if first < 0x80 { return Int(first) }
  guard first == 0x81, let length = rest.popFirst(), length >= 0x80 else { return nil }
  return Int(length)
}

private func derInteger(
  _ rest: inout ArraySlice<UInt8>, size: Int
) throws(CompactJwt.ASN1Error) -> [UInt8] {
  guard rest.popFirst() == 0x02 else { throw .unexpectedTag }
  guard let length = derLength(&rest), length > 0, length <= rest.count else { throw .lengthMismatch }
  var value = rest.prefix(length)
  rest = rest.dropFirst(length)
  if value.first == 0 { value = value.dropFirst() }
  guard value.count <= size else { throw .invalidFormat }
  return [UInt8](repeating: 0, count: size - value.count) + value
}
