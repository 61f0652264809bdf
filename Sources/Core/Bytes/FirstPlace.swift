internal import Foundation

extension UnsafeBufferPointer<UInt8> {
  /// The first position of `byte` at or after `start`, found many bytes at a time.
  ///
  /// - Parameter start: 0 or more. At or past the end the result is `nil`.
  package func firstPlace(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count, let base = baseAddress.map(UnsafeRawPointer.init),
      let found = memchr(base + start, Int32(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
