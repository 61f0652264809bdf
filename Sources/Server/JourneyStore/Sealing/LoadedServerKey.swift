internal import Bytes
internal import Concurrency
internal import Crypto
internal import Foundation

/// One key of 256 bits and its id.
package struct LoadedServerKey: Sendable, Identifiable, Redacted {
  /// 16 hexadecimal digits, derived from the key (HKDF), which identify the key and reveal nothing about it.
  package let id: String

  /// The place that the key comes from, for people.
  package let place: String
  private let key: SymmetricKey

  /// Codes that were begun, by their purpose; there are few. Copies of a value share them.
  private let codes = Locked<[String: HMAC<SHA256>]>([:])

  /// - Parameter bytes: ``ServerKey/length`` bytes.
  package init(bytes: [UInt8], place: String) {
    key = SymmetricKey(data: bytes)
    id =
      Self.derived(from: key, "sealring server key id 1", count: Self.idCount)
      .withUnsafeBytes(Array.init).hexadecimal
    self.place = place
  }

  /// A key as it may be written: its 32 bytes as they are, as 64 hexadecimal digits, in Base64 with padding, or in Base64url
  /// without, with a line feed at the end or not.
  init?(written: [UInt8], place: String) {
    if written.count == ServerKey.length {
      self.init(bytes: written, place: place)
      return
    }
    var text = String(decoding: written, as: UTF8.self)[...]
    while let last = text.last, last.isNewline { text.removeLast() }
    let bytes =
      text.utf8.count == 2 * ServerKey.length
      ? Hexadecimal.decode(text) : Base64URL.decode(text) ?? PaddedBase64.decode(text)
    guard let bytes, bytes.count == ServerKey.length else { return nil }
    self.init(bytes: bytes, place: place)
  }

  /// A key of its own for another purpose (HKDF, RFC 5869).
  func derived(for purpose: String) -> SymmetricKey { Self.derived(from: key, purpose, count: 32) }

  /// The key itself, for a backup.
  var bytes: [UInt8] { key.withUnsafeBytes(Array.init) }

  /// HMAC-SHA256 over `bytes` under the key for `purpose`.
  func authenticationCode(for bytes: [UInt8], purpose: String) -> [UInt8] {
    var code = begunCode(for: purpose)
    code.update(data: bytes)
    return code.finalize().withUnsafeBytes(Array.init)
  }

  /// A code that has taken in the key, which is more than half of the work for a short code.
  private func begunCode(for purpose: String) -> HMAC<SHA256> {
    if let code = codes.withLock({ $0[purpose] }) { return code }
    let code = HMAC<SHA256>(key: derived(for: purpose))
    codes.withLock { $0[purpose] = code }
    return code
  }

  private static func derived(from key: SymmetricKey, _ purpose: String, count: Int) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: count)
  }

  // MARK: The stored form

  private static let idCount = 8
  private static let mark = Array("SEALRNG1".utf8)

  /// Bytes of ``prefix``.
  static let prefixCount = mark.count + idCount

  /// The bytes before everything that a rotated key has encrypted: a mark, and the key's id. Secrets without them are encrypted under the
  /// first key of a database, as in versions before rotation; a nonce looks like the mark once in 2^64 secrets.
  var prefix: [UInt8] { Self.prefix(of: id) }

  static func prefix(of id: String) -> [UInt8] { mark + (Hexadecimal.decode(id) ?? []) }

  /// The id in front of what is sealed; `nil` without one.
  static func id(before sealed: [UInt8]) -> String? {
    guard sealed.count >= prefixCount, sealed.starts(with: mark) else { return nil }
    return sealed[mark.count..<prefixCount].hexadecimal
  }

  func seal(_ secret: [UInt8], named name: String, prefixed: Bool) throws -> [UInt8] {
    let prefix = prefixed ? self.prefix : []
    let box = try AES.GCM.seal(secret, using: key, authenticating: prefix + Array(name.utf8))
    guard let sealed = box.combined else {
      throw StoreError.unavailable("the secret \(name) could not be encrypted")
    }
    return prefix + [UInt8](sealed)
  }

  /// `nil` when this key did not encrypt it under this name.
  func open(_ sealed: [UInt8], named name: String) -> [UInt8]? {
    let isPrefixed = sealed.starts(with: prefix)
    let content = isPrefixed ? sealed.dropFirst(Self.prefixCount) : sealed[...]
    let authenticated = (isPrefixed ? prefix : []) + Array(name.utf8)
    guard let box = try? AES.GCM.SealedBox(combined: content),
      let secret = try? AES.GCM.open(box, using: key, authenticating: authenticated)
    else { return nil }
    return [UInt8](secret)
  }
}
