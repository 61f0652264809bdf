public import Bytes
internal import Foundation

/// A PIN that protects a key: any text. Never printed; compared in constant time.
///
/// Text that looks the same is the same PIN: it is normalised to NFC (as RFC 8265 §4.2.2 does with passwords), because
/// keyboards differ in how they compose characters.
public struct PIN: Sendable, Equatable, Redacted {
  /// The UTF-8 bytes of the normalised text.
  package let bytes: [UInt8]

  /// A PIN of the characters of `text`.
  public init(_ text: String) { bytes = Array(text.precomposedStringWithCanonicalMapping.utf8) }

  /// Whether there are no characters. An empty PIN protects nothing, and no store accepts it.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Compares all bytes, wherever the first difference is. The lengths are not kept secret.
  public static func == (lhs: PIN, rhs: PIN) -> Bool { ConstantTime.areEqual(lhs.bytes, rhs.bytes) }
}
