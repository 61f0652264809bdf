internal import Bytes
internal import Crypto

/// The hash of a node of a ``MerkleTree`` (RFC 9162 §2.1.1). Leaves and inner nodes are hashed with different first bytes, so
/// that neither can be passed off as the other.
public struct MerkleHash: Sendable, Hashable, CustomStringConvertible {
  /// 32 bytes.
  public let bytes: [UInt8]

  /// The root of the tree without leaves.
  public static let empty = MerkleHash(SHA256())

  /// The hash of a leaf.
  public static func leaf(_ data: [UInt8]) -> MerkleHash {
    var hasher = begun(with: 0)
    hasher.update(data: data)
    return MerkleHash(hasher)
  }

  /// The hash of an inner node.
  public static func node(_ left: MerkleHash, _ right: MerkleHash) -> MerkleHash {
    var hasher = begun(with: 1)
    hasher.update(data: left.bytes)
    hasher.update(data: right.bytes)
    return MerkleHash(hasher)
  }

  private static func begun(with first: UInt8) -> SHA256 {
    var hasher = SHA256()
    withUnsafeBytes(of: first) { hasher.update(bufferPointer: $0) }
    return hasher
  }

  private init(_ hasher: SHA256) { bytes = hasher.finalize().withUnsafeBytes(Array.init) }

  /// Stored bytes; `nil` unless there are 32.
  public init?(bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    self.bytes = bytes
  }

  /// The text form, base64url without padding; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Base64URL.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// Base64url without padding: 43 characters.
  public var text: String { Base64URL.encode(bytes) }

  public var description: String { text }
}
