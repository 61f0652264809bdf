extension String {
  /// Whether both texts have the same bytes, unlike `==`, which compares under Unicode normalisation.
  ///
  /// Names of accounts, keys and transactions in signed text must be compared like this (RFC 7515 §10.13).
  @inline(__always)
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return hasSameBytes(asOneOfItsLength: other)
  }

  @inline(never)
  private func hasSameBytes(asOneOfItsLength other: String) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { one in
      other.utf8.withContiguousStorageIfAvailable { one.isSame(as: $0) }
    }
    // Text that Foundation keeps in another form has no contiguous bytes.
    return isSame.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }
}

extension String {
  /// This text in quotation marks, with the escapes of a JSON string: one line, fit for a log or a message.
  package var quoted: String { JSONValue.string(self).text }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether both buffers, which have the same length, have the same bytes. There is no branch for each byte, so that words are
  /// compared.
  ///
  /// Secrets need `ConstantTime`, which is never inlined: here the call would cost as much as the comparison.
  fileprivate func isSame(as other: Self) -> Bool {
    var difference: UInt8 = 0
    for place in 0..<count { difference |= self[place] ^ other[place] }
    return difference == 0
  }
}
