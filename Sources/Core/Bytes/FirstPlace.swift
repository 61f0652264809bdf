internal import Foundation

extension UnsafeBufferPointer<UInt8> {
  /// The first place of `byte` from `start` on, found many bytes at a time.
  ///
  /// - Parameter start: 0 or more; from the end on there is nothing to find.
  package func firstPlace(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count, let base = baseAddress.map(UnsafeRawPointer.init),
      let found = memchr(base + start, Int32(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
