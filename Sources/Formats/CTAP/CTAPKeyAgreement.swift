package import CBOR
package import Crypto

/// A public key of P-256 with which two sides agree on a secret, as a COSE_Key (CTAP 2.1 §6.5.6).
package struct CTAPKeyAgreement: Sendable, Hashable {
  private let x: [UInt8]
  private let y: [UInt8]

  package init(_ key: P256.KeyAgreement.PublicKey) {
    let point = Array(key.rawRepresentation)
    (x, y) = (Array(point[..<32]), Array(point[32...]))
  }

  /// - Throws: ``CTAPStatus/unexpectedType`` unless it is a map, ``CTAPStatus/invalidParameter`` unless it is such a key.
  init(_ value: CBORValue) throws(CTAPStatus) {
    guard let map = value.mapValue else { throw .unexpectedType }
    guard map[1] == 2, map[3] == -25, map[-1] == 1, let x = map[-2]?.bytesValue, let y = map[-3]?.bytesValue,
      x.count == 32, y.count == 32
    else { throw .invalidParameter }
    (self.x, self.y) = (x, y)
  }

  package var cbor: CBORValue {
    [1: 2, 3: -25, -1: 1, -2: .bytes(x), -3: .bytes(y)]
  }

  /// The key, whose point is on the curve.
  ///
  /// - Throws: ``CTAPStatus/invalidParameter`` when it is not.
  var key: P256.KeyAgreement.PublicKey {
    get throws(CTAPStatus) {
      do { return try P256.KeyAgreement.PublicKey(rawRepresentation: x + y) } catch {
        throw .invalidParameter
      }
    }
  }
}
