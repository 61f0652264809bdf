internal import Bytes
package import Crypto
internal import Foundation
internal import StrictJSON

/// A device that subscribed to Web Push: it has the keys, and reads what comes.
package struct Subscriber: Sendable {
  package let key = P256.KeyAgreement.PrivateKey()
  package let secret: [UInt8] = (0..<16).map { _ in UInt8.random(in: 0...255) }

  package struct Unreadable: Error {}

  package init() {}

  /// What the device registers as its token.
  package func token(_ endpoint: String) -> String {
    let subscription: JSONObject = [
      "endpoint": .string(endpoint), "expirationTime": .null,
      "keys": [
        "p256dh": .string(Base64URL.encode(key.publicKey.x963Representation)),
        "auth": .string(Base64URL.encode(secret)),
      ],
    ]
    return String(decoding: subscription.serialized, as: UTF8.self)
  }

  /// Decrypts a body of RFC 8291, step by step as the receiver's side of the standard has it.
  package func open(_ body: [UInt8]) throws -> [UInt8] {
    guard body.count > 86, body[16..<20] == [0, 0, 16, 0], body[20] == 65, body.count <= 4096 + 86 else {
      throw Unreadable()
    }
    let salt = body[..<16]
    let sender = try P256.KeyAgreement.PublicKey(x963Representation: body[21..<86])
    let shared = try key.sharedSecretFromKeyAgreement(with: sender).withUnsafeBytes { Array($0) }
    func hmac(_ key: some DataProtocol, _ data: some DataProtocol) -> [UInt8] {
      Array(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: Data(key))))
    }
    let keyInfo = Array("WebPush: info\0".utf8) + key.publicKey.x963Representation + sender.x963Representation
    let ikm = hmac(hmac(secret, shared), keyInfo + [1])
    let prk = hmac(Array(salt), ikm)
    let contentKey = hmac(prk, Array("Content-Encoding: aes128gcm\0".utf8) + [1]).prefix(16)
    let nonce = hmac(prk, Array("Content-Encoding: nonce\0".utf8) + [1]).prefix(12)
    let sealed = body[86...]
    let box = try AES.GCM.SealedBox(
      nonce: .init(data: nonce), ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
    var plain = Array(try AES.GCM.open(box, using: SymmetricKey(data: contentKey)))
    while plain.last == 0 { plain.removeLast() }
    guard plain.popLast() == 2 else { throw Unreadable() }
    return plain
  }
}
