#if !canImport(Security)
  internal import Bytes
  internal import Crypto
  package import Foundation
  package import PingStorage
  internal import PrivateFiles

  /// Encrypts records, each bound to its place, and hashes the values that they are searched by.
  package struct RecordSealer: Sendable, Redacted {
    private let sealing: SymmetricKey
    private let hashing: SymmetricKey

    /// A sealer with the key of `home` for records of `kind`; the key is made on first use.
    package init(_ kind: String, home: ClientHome) throws {
      let bytes = try SecuredKey.bytes(applicationTag: "com.sealring.\(kind).storage", home: home)
      func derive(_ purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
          inputKeyMaterial: SymmetricKey(data: bytes), info: Data("sealring \(kind) storage \(purpose)".utf8),
          outputByteCount: 32)
      }
      sealing = derive("records")
      hashing = derive("index")
    }

    /// Encrypts `data` as nonce, ciphertext and tag, which can be opened only at `place`.
    package func seal(_ data: Data, for place: String) throws -> Data {
      let box = try AES.GCM.seal(data, using: sealing, authenticating: Data(place.utf8))
      guard let combined = box.combined else { throw EncryptorError.failedToEncrypt }
      return combined
    }

    package func open(_ box: Data, for place: String) throws -> Data {
      do {
        return try AES.GCM.open(
          AES.GCM.SealedBox(combined: box), using: sealing, authenticating: Data(place.utf8))
      } catch { throw EncryptorError.failedToDecrypt }
    }

    /// A keyed hash of the texts in their order.
    package func hash(_ texts: [String]) -> Data {
      var mac = HMAC<SHA256>(key: hashing)
      for text in texts {
        withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { mac.update(data: $0) }
        mac.update(data: Data(text.utf8))
      }
      return Data(mac.finalize())
    }

    /// The place that a record is bound to: it does not open in the place of another one.
    package static func place(_ kind: String, _ service: String, _ id: String) -> String {
      "\(kind)\u{0}\(service)\u{0}\(id)"
    }
  }
#endif
