public import Bytes

/// Secret bytes that the store keeps encrypted; printing them shows nothing.
public struct StoredSecret: Sendable, Hashable, Redacted {
  private let bytes: [UInt8]

  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The bytes themselves. Where this is called, the secret leaves its protection.
  public func reveal() -> [UInt8] { bytes }

  /// Takes the same time wherever the bytes differ.
  public static func == (one: Self, other: Self) -> Bool { ConstantTime.areEqual(one.bytes, other.bytes) }

  /// Equal secrets hash alike; the bytes do not go in.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes.count) }
}
