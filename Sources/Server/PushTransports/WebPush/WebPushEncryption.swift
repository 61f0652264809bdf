package import Crypto
internal import Foundation

/// Encrypts a message for one receiver: RFC 8291, in one record of RFC 8188's `aes128gcm`.
package enum WebPushEncryption {
  /// Longest message in bytes: a record has 4096 with its header, delimiter and tag.
  package static let maximumBytes = 3993

  private static let recordSize: UInt32 = 4096

  /// Encrypts a message into a header and a record, the body of a request.
  ///
  /// - Parameters:
  ///   - sender: a key for this message only.
  ///   - salt: 16 random bytes.
  /// - Throws: ``PushSendError`` when the message is too long; `CryptoKitError` for a receiver's key that fails key agreement.
  package static func encrypt(
    _ message: [UInt8], to receiver: P256.KeyAgreement.PublicKey, secret: [UInt8],
    sender: P256.KeyAgreement.PrivateKey, salt: [UInt8]
  ) throws -> [UInt8] {
    guard message.count <= maximumBytes else {
      throw PushSendError(
        "the message has \(message.count) bytes; Web Push carries at most \(maximumBytes)")
    }
    let senderKey = sender.publicKey.x963Representation
    // RFC 8291 §3.3, §3.4
    let shared = try sender.sharedSecretFromKeyAgreement(with: receiver)
    let info = Data("WebPush: info\0".utf8) + receiver.x963Representation + senderKey
    let input = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: secret, sharedInfo: info, outputByteCount: 32)
    return try record(message, key: input, salt: salt, keyID: Array(senderKey))
  }

  /// Encrypts a message into one record, with its header (RFC 8188 §2).
  ///
  /// - Parameters:
  ///   - salt: 16 random bytes.
  ///   - keyID: at most 255 bytes.
  package static func record(
    _ message: [UInt8], key input: SymmetricKey, salt: [UInt8], keyID: [UInt8]
  ) throws -> [UInt8] {
    // §2.2, §2.3
    let key = derive(input, salt, "Content-Encoding: aes128gcm\0", 16)
    let nonce = derive(input, salt, "Content-Encoding: nonce\0", 12)
    // The delimiter 2 marks the last record.
    let sealed = try AES.GCM.seal(
      message + [2], using: key, nonce: nonce.withUnsafeBytes { try AES.GCM.Nonce(data: $0) })
    // §2.1
    var body = salt
    withUnsafeBytes(of: recordSize.bigEndian) { body += $0 }
    body.append(UInt8(keyID.count))
    return body + keyID + sealed.ciphertext + sealed.tag
  }

  private static func derive(
    _ input: SymmetricKey, _ salt: [UInt8], _ info: String, _ count: Int
  ) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: input, salt: salt, info: Data(info.utf8), outputByteCount: count)
  }
}
