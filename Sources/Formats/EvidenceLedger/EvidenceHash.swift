internal import Bytes
internal import Crypto
internal import JOSE

/// A SHA-256 over one line of a ledger: names the line and, through the chain, every line before it.
public struct EvidenceHash: Sendable, Hashable, CustomStringConvertible {
  /// 32 bytes.
  public let bytes: [UInt8]

  /// Each kind of line is hashed after a tag of its own, so that no line of one kind has the hash of another kind.
  struct Domain {
    let tag: [UInt8]

    static let ledger = Domain(tag: Array("sealring evidence ledger 1\n".utf8))
    static let entry = Domain(tag: Array("sealring evidence entry 1\n".utf8))
  }

  init(of body: some Collection<UInt8>, in domain: Domain) {
    var hasher = SHA256()
    hasher.update(data: domain.tag)
    let isContiguous: Void? = body.withContiguousStorageIfAvailable {
      hasher.update(bufferPointer: UnsafeRawBufferPointer($0))
    }
    if isContiguous == nil { hasher.update(data: Array(body)) }
    bytes = hasher.finalize().withUnsafeBytes(Array.init)
  }

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

  /// The hash from the bytes of its text form.
  init?(text: ArraySlice<UInt8>) {
    guard let bytes = text.withUnsafeBufferPointer(Base64Codec.urlSafe.decode) else { return nil }
    self.init(bytes: bytes)
  }

  /// Base64url without padding: 43 characters.
  public var text: String { Base64URL.encode(bytes) }

  /// How long ``text`` is.
  static let textCount = 43

  public var description: String { text }
}
