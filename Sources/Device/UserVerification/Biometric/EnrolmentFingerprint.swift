internal import Crypto
internal import Foundation

/// A digest of what is enrolled on a reader. A different digest means that fingers or faces were added or removed since.
///
/// It says nothing about the fingers themselves and may be stored beside a key.
public struct EnrolmentFingerprint: Sendable, Hashable, Codable {
  /// A SHA-256 digest, 32 bytes.
  public let bytes: [UInt8]

  /// Identifies the kind of reader, as far as the system tells kinds apart; `nil` when it does not, and for a stored digest. A different
  /// reader says nothing about what is enrolled on the one that a key was made with.
  public let reader: [UInt8]?

  /// The digest of `parts` as a list: neither their order nor their boundaries can be confused.
  ///
  /// - Parameters:
  ///   - parts: What distinguishes one enrolled set from another, in a stable order.
  ///   - reader: What distinguishes the reader from others.
  public init(digesting parts: [[UInt8]], reader: [UInt8]? = nil) {
    self.reader = reader.map { Array(SHA256.hash(data: $0)) }
    var hash = SHA256()
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update(bufferPointer: $0) }
      hash.update(data: part)
    }
    bytes = Array(hash.finalize())
  }

  /// A stored digest; `nil` unless there are 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    self.bytes = bytes
    reader = nil
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let stored = Self(bytes: Array(try container.decode(Data.self))) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "An enrolment fingerprint has 32 bytes.")
    }
    self = stored
  }

  /// Writes the digest as Base64.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Data(bytes))
  }
}
