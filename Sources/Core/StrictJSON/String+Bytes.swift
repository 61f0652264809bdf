extension String {
  /// Whether both are the same characters, not only the same under Unicode normalisation as `==` has it.
  ///
  /// What names an account, a key or a transaction in signed text must be compared like this (RFC 7515
  /// §10.13).
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
    // Text that Foundation keeps in another form has no bytes to show.
    return isSame.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }
}

extension String {
  /// This text in quotation marks, with the escapes of a JSON string: one line, fit for a log or a message.
  package var quoted: String { JSONValue.string(self).text }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether both, which are of one length, have the same bytes. Without a branch for each, so that words are compared.
  ///
  /// For secrets there is `ConstantTime`, which is never inlined: here the call would cost as much as the comparison.
  fileprivate func isSame(as other: Self) -> Bool {
    var difference: UInt8 = 0
    for place in 0..<count { difference |= self[place] ^ other[place] }
    return difference == 0
  }
}
