/// Compares secrets: password hashes, codes, tokens, authentication codes, challenges.
public enum ConstantTime {
  /// Whether both have the same bytes, in a time that depends on their lengths alone, not on where they begin to differ.
  ///
  /// Lengths are not secret: different lengths return at once.
  public static func areEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
    withBytes(of: one) { one in withBytes(of: other) { areSame(one, $0) } }
  }

  private static func withBytes(
    of bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    bytes.withContiguousStorageIfAvailable(body) ?? Array(bytes).withUnsafeBufferPointer(body)
  }

  /// Whether both buffers have the same bytes. Without a branch for each byte, this is also a fast way to compare data that is not
  /// secret.
  ///
  /// Not inlined, so that the optimiser cannot use a caller's knowledge of the bytes to leave the loop early. The loop must visit every
  /// byte, because the result depends on all differences and is compared only at the end.
  @inline(never)
  package static func areSame(
    _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in one.indices { difference |= one[index] ^ other[index] }
    return difference == 0
  }
}
