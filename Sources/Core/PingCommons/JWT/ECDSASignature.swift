/// r ‖ s, each of `size` bytes, from the DER form of an ECDSA signature on any curve (RFC 7518 §3.4); `nil` when `der` is
/// no such signature.
package func rawECDSASignature(fromDER der: [UInt8], size: Int) -> [UInt8]? {
  var rest = der[...]
  guard rest.popFirst() == 0x30, let length = derLength(&rest), length == rest.count,
    let r = derInteger(&rest, size: size), let s = derInteger(&rest, size: size), rest.isEmpty
  else { return nil }
  return r + s
}

/// P-521 signatures are the ones long enough for a second length byte.
private func derLength(_ rest: inout ArraySlice<UInt8>) -> Int? {
  guard let first = rest.popFirst() else { return nil }
  if first < 0x80 { return Int(first) }
  guard first == 0x81, let length = rest.popFirst(), length >= 0x80 else { return nil }
  return Int(length)
}

private func derInteger(_ rest: inout ArraySlice<UInt8>, size: Int) -> [UInt8]? {
  guard rest.popFirst() == 0x02, let length = derLength(&rest), length > 0, length <= rest.count else {
    return nil
  }
  var value = rest.prefix(length)
  rest = rest.dropFirst(length)
  if value.first == 0 { value = value.dropFirst() }
  guard value.count <= size else { return nil }
  return [UInt8](repeating: 0, count: size - value.count) + value
}
