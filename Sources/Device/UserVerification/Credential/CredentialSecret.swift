public import Bytes
internal import Foundation

/// A password, or another answer that nobody may see. Never printed; overwritten in memory when it is no longer used.
///
/// The caller keeps what the secret was made from: a Swift `String` cannot be overwritten.
// The bytes are written in `init` and in `deinit` only, when nobody else has a reference.
public final class CredentialSecret: @unchecked Sendable, Redacted {
  private let buffer: UnsafeMutableRawBufferPointer

  /// A secret of the UTF-8 bytes of `text` as it was entered: the device compares bytes.
  public convenience init(_ text: String) { self.init(bytes: text.utf8) }

  /// A secret of `bytes`.
  public init(bytes: some Collection<UInt8>) {
    buffer = .allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
  }

  deinit {
    if let start = buffer.baseAddress { Self.wipe(start, count: buffer.count) }
    buffer.deallocate()
  }

  /// Calls `body` with the bytes, which are valid only during the call.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(buffer))
  }

  /// Overwrites memory in a way that the optimiser cannot remove.
  package static func wipe(_ start: UnsafeMutableRawPointer, count: Int) {
    #if canImport(Darwin)
      memset_s(start, count, 0, count)
    #else
      explicit_bzero(start, count)
    #endif
  }
}
