public import Bytes
internal import Crypto
package import Foundation

/// 32 random bytes that unlock a key and are released only after the person was verified. Never printed; wiped when the last copy is
/// released.
public struct AuthorizationValue: Sendable, Equatable, Redacted {
  /// The number of bytes.
  public static let byteCount = 32

  private let value: SymmetricKey

  /// A new value.
  ///
  /// - Parameter randomBytes: Returns as many random bytes as asked for; the system's by default.
  public init(randomBytes: (Int) -> [UInt8] = SystemRandom.bytes) {
    value = SymmetricKey(data: randomBytes(Self.byteCount))
  }

  /// A value that was stored; `nil` unless there are 32 bytes.
  package init?(bytes: some ContiguousBytes) {
    value = SymmetricKey(data: bytes)
    guard value.bitCount == Self.byteCount * 8 else { return nil }
  }

  /// Calls `body` with the bytes, which are valid only during the call.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try value.withUnsafeBytes(body)
  }
}
