public import Bytes
internal import Crypto

/// The secret that an authenticator shares with the server. Never printed; compared in constant time.
public struct OATHSecret: Sendable, Equatable, Redacted {
  let key: SymmetricKey

  /// Allowed sizes in bytes; RFC 4226 §4 R6 asks for 128 bits.
  public static let sizes = 16...128

  /// RFC 4226 §4 R6 recommends 160 bits.
  public static let recommendedSize = 20

  /// Sizes in bytes that an authenticator takes from others: many services still give out 80 bits.
  public static let sizesOfOthers = 10...128

  /// A secret of these bytes; `nil` unless their number is one of `sizes`.
  public init?(_ bytes: some Sequence<UInt8>, sizes: ClosedRange<Int> = Self.sizes) {
    let bytes = Array(bytes)
    guard sizes.contains(bytes.count) else { return nil }
    key = SymmetricKey(data: bytes)
  }

  /// The secret of a Base32 text, as an enrolment URI has it; `nil` when it is not one.
  public init?(base32 text: some StringProtocol, sizes: ClosedRange<Int> = Self.sizes) {
    guard let bytes = Base32.decode(text) else { return nil }
    self.init(bytes, sizes: sizes)
  }

  /// The text for an enrolment URI, no longer protected.
  public var base32: String { Base32.encode(reveal()) }

  /// The raw bytes, no longer protected.
  public func reveal() -> [UInt8] { key.withUnsafeBytes(Array.init) }
}
