internal import Bytes
internal import Crypto

extension Transaction {
  /// Version 1 of the canonical form: the bytes that stand for this transaction and for no other.
  ///
  /// The ASCII text `sealring.transaction.v1`, a zero byte, then each part that is there in the order of ``FieldName``:
  /// its name in ASCII and its value in UTF-8, both after their length in bytes as four bytes, most significant first.
  public var canonical: [UInt8] {
    var bytes = Array("sealring.transaction.v1".utf8)
    bytes.append(0)
    for text in fields.flatMap({ [$0.name.rawValue, $0.value] }) {
      bytes += UInt32(text.utf8.count).bigEndianBytes + text.utf8
    }
    return bytes
  }

  /// Bytes of a ``challenge(nonce:)``'s nonce.
  public static let nonceCount = 32

  /// What a device signs for this transaction: standard Base64 with padding of SHA-256 over ``canonical`` and then `nonce`.
  ///
  /// Nobody can find another transaction with the same challenge, and nobody can know the challenge before the server has
  /// drawn the nonce.
  ///
  /// - Parameter nonce: ``nonceCount`` random bytes; any other number gives `nil`, because then it would not be
  ///   certain where the nonce begins.
  public func challenge(nonce: [UInt8]) -> String? {
    guard nonce.count == Self.nonceCount else { return nil }
    return PaddedBase64.encode(SHA256.hash(data: canonical + nonce))
  }
}
