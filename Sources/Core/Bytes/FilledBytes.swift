extension [UInt8] {
  /// `count` bytes, each of which `fill` writes.
  ///
  /// For few bytes that takes less than half of what `init(unsafeUninitializedCapacity:initializingWith:)` does, which looks up
  /// the type of its storage each time: up to 1 KiB are written on the stack, and copied.
  @inline(__always)
  package init(count: Int, fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { bytes in
      fill(bytes)
      return [UInt8](UnsafeBufferPointer(bytes))
    }
  }
}
